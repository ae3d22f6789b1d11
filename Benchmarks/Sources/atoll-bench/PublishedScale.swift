internal import Workloads

/// How much slower this machine is, now, than the one of the published figures.
///
/// SQLite ran on both. The factor is the median of its ratios over a kind of workload, not the
/// ratio of each workload: one row's noise, or another way to write its query in SQL, would
/// otherwise become the other peers' figure. Reading and writing have factors of their own, because
/// processors and disks drift apart.
struct PublishedScale {
  /// Our time by the published one.
  let reading: Double
  let writing: Double

  /// Nil unless the runs have the published number of objects and enough results of SQLite.
  init?(results: Results) {
    guard results.rows == standardRowCount else { return nil }
    func median(of kind: Workload.ResultKind) -> Double? {
      let ratios = results.workloads.filter { $0.resultKind == kind }.compactMap { workload in
        results["sqlite", workload.name].flatMap { line in
          PublishedFigure.all[workload.name].map { line.seconds * 1000 / $0.sqlite }
        }
      }
      return ratios.isEmpty ? nil : ratios.sorted()[ratios.count / 2]
    }
    guard let first = median(of: .answer) ?? median(of: .fileBytes) else { return nil }
    reading = first
    writing = median(of: .fileBytes) ?? first
  }

  /// A peer's published milliseconds for `workload` on this machine, nil when there are none.
  func milliseconds(of peer: (PublishedFigure) -> Double?, for workload: String) -> Double? {
    guard let figure = PublishedFigure.all[workload], let published = peer(figure) else {
      return nil
    }
    return published * (Self.isWriting(workload) ? writing : reading)
  }

  private static func isWriting(_ workload: String) -> Bool {
    Workload.all.contains { $0.name == workload && $0.resultKind == .fileBytes }
  }
}
