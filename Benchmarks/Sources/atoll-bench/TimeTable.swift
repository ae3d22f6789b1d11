internal import Workloads

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Darwin)
internal import Darwin
#endif

/// Milliseconds side by side, each peer's with its ratio to those of one engine.
///
/// A ratio is the peer's time by the subject's: above 1, the subject is ahead. The last row is the
/// geometric mean over the workloads that both do.
struct TimeTable {
  let results: Results
  /// The engine that the others are compared with.
  let subject: String

  /// A column: the milliseconds of one engine by workload, of our runs or published.
  private struct Peer {
    let name: String
    let milliseconds: (String) -> Double?
  }

  /// The table, and below it how the published figures were scaled.
  var text: String {
    let peers = measuredPeers + publishedPeers
    var table = MarkdownTable(
      header: ["workload (ms)", subject] + peers.flatMap { [$0.name, "÷"] })
    for workload in results.workloadNames {
      let own = milliseconds(of: subject, workload)
      let cells = peers.flatMap { peer in
        let theirs = peer.milliseconds(workload)
        return [cell(theirs), cell(ratio(theirs, own))]
      }
      table.rows.append([workload, cell(own)] + cells)
    }
    table.rows.append(
      ["geometric mean", ""] + peers.flatMap { ["", cell(geometricMean(of: $0))] })
    return table.text + footnote
  }

  private var measuredPeers: [Peer] {
    results.engines.filter { $0 != subject }.map { engine in
      Peer(name: engine) { milliseconds(of: engine, $0) }
    }
  }

  /// realm-core and DuckDB; empty when the runs cannot be compared with the published ones.
  private var publishedPeers: [Peer] {
    guard let scale = PublishedScale(results: results) else { return [] }
    return [
      Peer(name: "realm-core*") { scale.milliseconds(of: \.realmCore, for: $0) },
      Peer(name: "DuckDB*") { scale.milliseconds(of: \.duckDB, for: $0) },
    ]
  }

  private var footnote: String {
    guard let scale = PublishedScale(results: results) else { return "" }
    return """

      * published figures times what SQLite took here against there: \
      \(scale.reading.compact) for reading, \(scale.writing.compact) for writing workloads.

      """
  }

  /// The time for as many operations as the subject did, which differ when the time was given.
  private func milliseconds(of engine: String, _ workload: String) -> Double? {
    guard let line = results[engine, workload] else { return nil }
    let own = results[subject, workload]?.operations ?? line.operations
    guard own != line.operations, line.operations > 0 else { return line.seconds * 1000 }
    return line.seconds * 1000 * Double(own) / Double(line.operations)
  }

  private func ratio(_ theirs: Double?, _ own: Double?) -> Double? {
    guard let theirs, let own, own > 0 else { return nil }
    return theirs / own
  }

  private func geometricMean(of peer: Peer) -> Double? {
    let logarithms = results.workloadNames.compactMap { workload in
      ratio(peer.milliseconds(workload), milliseconds(of: subject, workload)).map { log($0) }
    }
    guard !logarithms.isEmpty else { return nil }
    return exp(logarithms.reduce(0, +) / Double(logarithms.count))
  }

  private func cell(_ number: Double?) -> String {
    number?.compact ?? "–"
  }
}
