#if Sync
internal import CoreMetrics
internal import Synchronization

/// The values of one metric with one set of labels.
protocol PrometheusSeries: AnyObject, Sendable {
  static var kind: ServerMetric.Kind { get }

  /// Appends the lines of its values.
  func write(to text: inout PrometheusText, _ name: String, _ labels: PrometheusLabels)
}

/// A number that only grows.
final class PrometheusCounter: PrometheusSeries, CounterHandler {
  static let kind = ServerMetric.Kind.counter

  private let value = Atomic<Int64>(0)

  /// A decrease is ignored: Prometheus takes one for a new start.
  func increment(by amount: Int64) {
    guard amount > 0 else { return }
    value.wrappingAdd(amount, ordering: .relaxed)
  }

  func reset() { value.store(0, ordering: .relaxed) }

  func write(to text: inout PrometheusText, _ name: String, _ labels: PrometheusLabels) {
    text.add(name, labels, "\(value.load(ordering: .relaxed))")
  }
}

/// A number that is set, or goes up and down.
final class PrometheusGauge: PrometheusSeries, MeterHandler, RecorderHandler {
  static let kind = ServerMetric.Kind.gauge

  private let value = Mutex(0.0)

  func set(_ value: Int64) { set(Double(value)) }
  func set(_ value: Double) { self.value.withLock { $0 = value } }
  func increment(by amount: Double) { value.withLock { $0 += amount } }
  func decrement(by amount: Double) { value.withLock { $0 -= amount } }
  func record(_ value: Int64) { set(Double(value)) }
  func record(_ value: Double) { set(value) }

  func write(to text: inout PrometheusText, _ name: String, _ labels: PrometheusLabels) {
    text.add(name, labels, PrometheusText.number(value.withLock { $0 }))
  }
}

/// How many of the recorded values are at most as large as each of some bounds.
///
/// One lock for all of its numbers, so that the buckets, the sum and the count of one text belong
/// together; it is held for a search among the bounds.
final class PrometheusHistogram: PrometheusSeries, TimerHandler, RecorderHandler {
  static let kind = ServerMetric.Kind.histogram

  /// In seconds: from what a turn without work takes to what a device gives up at.
  static let durationBounds = [
    0.0001, 0.000_25, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5,
    10, 30,
  ]
  /// From 16 bytes to 64 MiB, the largest message.
  static let amountBounds = (2...13).map { Double(UInt64(1) << ($0 * 2)) }

  private struct Content {
    /// By bucket, not added up; the last one is of what is above all bounds.
    var counts: [UInt64]
    var sum = 0.0
  }

  private let bounds: [Double]
  private let content: Mutex<Content>

  /// Makes one without values; `bounds` ascend.
  init(bounds: [Double]) {
    self.bounds = bounds
    content = Mutex(Content(counts: Array(repeating: 0, count: bounds.count + 1)))
  }

  func recordNanoseconds(_ duration: Int64) { record(Double(duration) / 1e9) }
  func record(_ value: Int64) { record(Double(value)) }

  /// What is no number is in no bucket, and would make the sum none.
  func record(_ value: Double) {
    guard !value.isNaN else { return }
    let bucket = bounds.firstIndex { value <= $0 } ?? bounds.count
    content.withLock {
      $0.counts[bucket] += 1
      $0.sum += value
    }
  }

  func write(to text: inout PrometheusText, _ name: String, _ labels: PrometheusLabels) {
    let content = content.withLock { $0 }
    var count: UInt64 = 0
    for (bound, added) in zip(bounds + [.infinity], content.counts) {
      count += added
      text.add(
        "\(name)_bucket", labels.adding("le", PrometheusText.number(bound)), "\(count)")
    }
    text.add("\(name)_sum", labels, PrometheusText.number(content.sum))
    text.add("\(name)_count", labels, "\(count)")
  }
}
#endif
