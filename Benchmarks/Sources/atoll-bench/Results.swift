internal import Workloads

/// The results of one or more runs, one for each engine and workload.
struct Results {
  /// Engines in the order in which they first occur.
  let engines: [String]
  /// Objects of the bulk load, the same in all runs.
  let rows: Int
  private var lines: [String: [String: ResultLine]] = [:]
  /// The names of the workloads in the order in which they first occur.
  private var names: [String] = []

  /// Keeps the fastest line for each engine and workload.
  ///
  /// - Parameter all: at least one line.
  init(_ all: [ResultLine]) {
    var engines: [String] = []
    for line in all {
      if !engines.contains(line.engine) { engines.append(line.engine) }
      if !names.contains(line.workload) { names.append(line.workload) }
      if let known = lines[line.engine]?[line.workload], known.seconds <= line.seconds { continue }
      lines[line.engine, default: [:]][line.workload] = line
    }
    self.engines = engines
    self.rows = all.first?.rows ?? 0
  }

  /// The result of `engine` for `workload`, nil when there is none.
  subscript(engine: String, workload: String) -> ResultLine? {
    lines[engine]?[workload]
  }

  /// The names of all workloads for which there is a result: those of `run` in the order of its
  /// list, then the others as they first occur.
  var workloadNames: [String] {
    let known = workloads.map(\.name)
    return known + names.filter { !known.contains($0) }
  }

  /// The workloads of `run` for which there is a result, in the order of the list.
  var workloads: [Workload] {
    Workload.all.filter { workload in engines.contains { self[$0, workload.name] != nil } }
  }
}
