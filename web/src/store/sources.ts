/** Sources of messages, as the daemon's health tells of them. */
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

const SILENT_S = 60;

export const isSilent = (source: Source): boolean =>
  source.last_message_age_s === null || source.last_message_age_s > SILENT_S;
