// Three chips and five runs, all real: the CPU library, the faulty library, and one with few functions.
import { join } from 'node:path';
import { CPU, mustRun, program, Server, TempFolder, vendor } from './programs';

const OPERATORS = ['add', 'bmm', 'exp', 'gelu', 'relu', 'softmax', 'sqrt', 'sub', 'tanh'];
export const FNAME = ['--fname', OPERATORS.join(',')];

export class DemoData {
  readonly folder = new TempFolder();
  readonly data = join(this.folder.path, 'data');
  server!: Server;
  good = '';
  before = ''; // on the chip whose next library is the faulty one
  faulty = '';
  faultyAgain = '';
  small = '';

  async make(): Promise<this> {
    await mustRun([program('diopi-cli'), 'gen', '--quiet', '--data', this.data, ...FNAME]);
    this.server = await Server.start(this.data);
    const test = (library: string, chip: string) =>
      this.server.testLibrary(library, chip, this.folder.path, [...FNAME, '--timeout-s', '5']);
    this.good = await test(CPU, 'demo-good');
    this.before = await test(CPU, 'demo-faulty');
    this.faulty = await test(vendor('libdiopi_faulty'), 'demo-faulty');
    this.faultyAgain = await test(vendor('libdiopi_faulty'), 'demo-faulty');
    this.small = await test(vendor('vendor_good'), 'demo-small');
    return this;
  }

  async remove(): Promise<void> {
    await this.server?.stop();
    this.folder.remove();
  }
}
