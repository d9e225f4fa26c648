export { FAULTS, FaultError, readFault } from './faults.ts'
export { seeded } from './seeded.ts'
export type { Simulate, WireAnswer, WireRequest } from './simulated.ts'
export { type Simulator, type SimulatorOptions, startSimulator } from './simulator.ts'
