#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import Workloads

/// One line of output: the cost of a workload on an engine.
///
/// The first six fields are always there; the others if the system reports them or the workload has
/// them. Written by hand, because their order is part of the format.
struct ResultLine: Decodable {
  let engine: String
  let workload: String
  let operations: Int
  /// The fastest run.
  let seconds: Double
  let operationsPerSecond: Double
  /// The answer, or bytes of the files (bytes grown, for pinned_growth).
  let result: Int

  /// Objects of the bulk load.
  let rows: Int
  /// The median over the runs; nil for workloads that run once.
  var medianSeconds: Double?
  /// Over the transactions of a workload that is a series of them.
  var transactionMedianSeconds: Double?
  var transactionP99Seconds: Double?
  /// Bytes of the files once the engine has closed them, for the writing workloads.
  var closedFileByteCount: Int?
  var peakMemoryGrowthByteCount: Int?
  var writtenByteCount: Int?
  var syncCount: Int?

  private enum CodingKeys: String, CodingKey {
    case engine
    case workload
    case operations = "ops"
    case seconds
    case operationsPerSecond = "per_sec"
    case result
    case rows
    case medianSeconds = "median_seconds"
    case transactionMedianSeconds = "transaction_median_seconds"
    case transactionP99Seconds = "transaction_p99_seconds"
    case closedFileByteCount = "closed_file_bytes"
    case peakMemoryGrowthByteCount = "peak_memory_growth_bytes"
    case writtenByteCount = "written_bytes"
    case syncCount = "syncs"
  }

  /// Sums up the runs of one workload, of which there is at least one.
  init(engine: String, workload: String, rows: Int, samples: [Sample]) {
    guard let best = samples.min(by: { $0.seconds < $1.seconds }) else {
      preconditionFailure("a workload has at least one run")
    }
    self.engine = engine
    self.workload = workload
    self.operations = best.operations
    self.seconds = best.seconds
    self.operationsPerSecond = best.seconds > 0 ? Double(best.operations) / best.seconds : 0
    self.result = best.result
    self.rows = rows
    if samples.count > 1 {
      medianSeconds = samples.map(\.seconds).quantile(0.5)
    }
    if !best.transactionSeconds.isEmpty {
      transactionMedianSeconds = best.transactionSeconds.quantile(0.5)
      transactionP99Seconds = best.transactionSeconds.quantile(0.99)
    }
    // The first run of several meets empty caches, so it shows the memory that all need.
    peakMemoryGrowthByteCount = samples.compactMap(\.resources.peakMemoryGrowthByteCount).max()
    writtenByteCount = best.resources.writtenByteCount
    syncCount = best.resources.syncCount
  }

  /// Reads a line of output back.
  init(parsing line: Substring) throws {
    self = try JSONDecoder().decode(ResultLine.self, from: Data(line.utf8))
  }

  /// The line, without its end.
  var json: String {
    let fields: [(CodingKeys, String?)] = [
      (.engine, "\"\(engine)\""),
      (.workload, "\"\(workload)\""),
      (.operations, "\(operations)"),
      (.seconds, Self.nanosecondDecimal(seconds)),
      (.operationsPerSecond, "\(Int(operationsPerSecond.rounded()))"),
      (.result, "\(result)"),
      (.rows, "\(rows)"),
      (.medianSeconds, medianSeconds.map(Self.nanosecondDecimal)),
      (.transactionMedianSeconds, transactionMedianSeconds.map(Self.nanosecondDecimal)),
      (.transactionP99Seconds, transactionP99Seconds.map(Self.nanosecondDecimal)),
      (.closedFileByteCount, closedFileByteCount.map(String.init)),
      (.peakMemoryGrowthByteCount, peakMemoryGrowthByteCount.map(String.init)),
      (.writtenByteCount, writtenByteCount.map(String.init)),
      (.syncCount, syncCount.map(String.init)),
    ]
    let present = fields.compactMap { key, value in value.map { "\"\(key.rawValue)\":\($0)" } }
    return "{" + present.joined(separator: ",") + "}"
  }

  /// Seconds with nine decimals, never in scientific notation.
  private static func nanosecondDecimal(_ seconds: Double) -> String {
    let nanoseconds = Int((seconds * 1e9).rounded())
    let fraction = String(nanoseconds % 1_000_000_000)
    let zeros = String(repeating: "0", count: 9 - fraction.count)
    return "\(nanoseconds / 1_000_000_000).\(zeros)\(fraction)"
  }
}

extension [Double] {
  /// The element at `fraction` of the way through the sorted array, which is not empty.
  fileprivate func quantile(_ fraction: Double) -> Double {
    sorted()[Int(Double(count - 1) * fraction)]
  }
}
