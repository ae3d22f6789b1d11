// Workloads: one data set and one list of workloads, the same for every engine, so that every
// figure is a ratio measured side by side in one run.
//
// Promises:
// - a workload is a function of (seed, rows, engine): it draws its input before the clock starts,
//   and the same arguments give the same answer from every engine;
// - `ReferenceEngine` computes every answer from the generated objects in plain Swift, and
//   `PublishedAnswers` holds those of the standard size, so a wrong answer cannot be a fast one.
//
// Reading order:
//   SplitMix64            the random numbers
//   Person                the data set
//   Parameters            seeds and counts, the only constants that shape a workload
//   Engine, CountQuery    what an engine is asked
//   Sample, ResourceUse   what one run costs, and how it is measured
//   Workload              the list
//   Workload+Reading, Workload+Querying, Workload+Writing
//   ReferenceEngine, ReferenceEngine+Queries, PublishedAnswers
