// Captured calls in the server's data folder (server/http/API.md).
export interface CaptureSummary {
  name: string;
  calls: number;
  functions: number;
  processes: number;
  bytes: number;
  newest: string;
}

export interface CapturedCall {
  file: string;
  function: string;
  dtype: string;
  process: number;
  order: number;
  step: number;
  thread: number;
  stream: string;
  start_us: number;
  took_us: number;
  returned: number;
  bytes: number;
  arguments: string;
}

export interface CapturesPage {
  captures: CaptureSummary[];
}

export interface CapturePage extends CaptureSummary {
  library: string;
  command: string; // judges the calls again
  threads: number;
  list: CapturedCall[]; // by process, in their order; at most 1000
  damaged: string[]; // why a file cannot be read
}
