/** Sources of messages: as anybody who may look on sees them, and as the daemon's health tells of them. */
export interface HeardSource {
  name: string;
  state: 'heard' | 'silent' | 'never';
  last_message_age_s: number | null;
  /** Null before the second message. */
  usual_interval_s: number | null;
}

export interface Source {
  name: string;
  last_message_age_s: number | null;
  /** Null until it has been asked for twice. */
  rate_per_s: number | null;
  messages: number;
  /** By reason. */
  refused: Record<
    string,
    { count: number; samples: { received_at: string; topic: string; detail: string; payload: string }[] }
  >;
}

export const isSilent = (source: { state: HeardSource['state'] }): boolean => source.state !== 'heard';
