/** The kinds of features, and what each tool may draw. */
export const KINDS = [
  'waterway',
  'shoreline',
  'safety_buoy',
  'buoy_line',
  'dock',
  'swim_area',
  'swimmer',
  'float',
  'ski_dock',
  'dive_flag',
  'mooring_buoy',
  'launch_ramp',
  'mooring_area',
  'course',
  'speed_zone',
  'circulation',
  'permit_area',
] as const;

export const KINDS_OF: Record<'point' | 'line' | 'area', readonly string[]> = {
  point: ['safety_buoy', 'dock', 'float', 'ski_dock', 'dive_flag', 'swimmer', 'mooring_buoy', 'launch_ramp'],
  line: ['dock', 'buoy_line', 'shoreline', 'circulation', 'course', 'launch_ramp'],
  area: [
    'dock',
    'swim_area',
    'speed_zone',
    'permit_area',
    'mooring_area',
    'course',
    'shoreline',
    'waterway',
    'launch_ramp',
  ],
};
