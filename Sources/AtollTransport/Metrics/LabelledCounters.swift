#if Sync
package import CoreMetrics

/// The counters of one metric with labels: one for each value, all made at once, so that each is
/// there with 0 before the first event, and counting makes nothing.
package struct LabelledCounters<Value: Hashable & Sendable>: Sendable {
  private let counters: [Value: Counter]
  /// For values that are not among those.
  private let other: Counter

  /// Makes the counters.
  ///
  /// - Parameters:
  ///   - metric: What they count.
  ///   - values: What has a counter of its own.
  ///   - factory: What makes them.
  ///   - other: The values of the metric's labels for all that has no counter of its own.
  ///   - labels: The values of the labels, in their order.
  package init(
    _ metric: ServerMetric, _ values: some Sequence<Value>, _ factory: any MetricsFactory,
    other: [String], labels: (Value) -> [String]
  ) {
    func counter(_ values: [String]) -> Counter {
      Counter(label: metric.name, dimensions: metric.dimensions(values), factory: factory)
    }
    counters = Dictionary(values.map { ($0, counter(labels($0))) }) { first, _ in first }
    self.other = counter(other)
  }

  package func increment(_ value: Value, by count: Int64 = 1) {
    (counters[value] ?? other).increment(by: count)
  }
}
#endif
