internal import Workloads

/// Bytes and syncs side by side, for the workloads that write.
struct ResourceTable {
  let results: Results

  /// The table: MB (a million bytes) except for the syncs.
  var text: String {
    let engines = results.engines
    let figures: [(name: String, of: (ResultLine) -> Int?)] = [
      ("files", { $0.result }),
      ("closed", { $0.closedFileByteCount }),
      ("written", { $0.writtenByteCount }),
      ("memory", { $0.peakMemoryGrowthByteCount }),
    ]
    var table = MarkdownTable(
      header: ["workload (MB)"]
        + engines.flatMap { engine in figures.map { "\(engine) \($0.name)" } + ["syncs"] })
    for workload in results.workloadNames where isWriting(workload) {
      let cells = engines.flatMap { engine in
        let line = results[engine, workload]
        return figures.map { figure in line.flatMap(figure.of)?.megabytes ?? "–" }
          + [line?.syncCount.map(String.init) ?? "–"]
      }
      table.rows.append([workload] + cells)
    }
    return table.text + footnote
  }

  /// Whether the result is bytes of files, which the closed files then have too.
  private func isWriting(_ workload: String) -> Bool {
    results.engines.contains { results[$0, workload]?.closedFileByteCount != nil }
  }

  private var footnote: String {
    guard results.rows == standardRowCount else { return "" }
    return """

      files: logs and lock files included, as the workload left them (pinned_growth: what they grew); \
      closed: the same once closed; memory: growth of the resident peak, mapped pages included.
      Published, after bulk_insert: realm-core 103, DuckDB 43 (no secondary index); pinned_growth: \
      realm-core 1.0.

      """
  }
}
