#if Sync
package import CoreMetrics
internal import Synchronization

/// A backend of swift-metrics whose values are a text for Prometheus.
///
/// Instruments of one name and the same dimensions share their values, and each metric has its help
/// from the catalogue. An instrument whose name has another kind already counts for nobody: a
/// text with both would be refused as a whole.
package final class PrometheusMetrics: MetricsFactory {
  private struct Family {
    let kind: ServerMetric.Kind
    let help: String
    var series: [(labels: PrometheusLabels, series: any PrometheusSeries)] = []
  }

  private struct Content {
    var families: [String: Family] = [:]
    /// The names, in the order of the text.
    var names: [String]
  }

  private let help: [String: String]
  private let content: Mutex<Content>

  /// Makes a backend without instruments.
  ///
  /// - Parameter catalogue: The metrics that are known, in the order of the text; others follow
  ///   as they come.
  package init(_ catalogue: [ServerMetric]) {
    help = Dictionary(catalogue.map { ($0.name, $0.help) }) { first, _ in first }
    content = Mutex(Content(names: catalogue.map(\.name)))
  }

  /// The content type of `text`.
  package static var contentType: String { PrometheusText.contentType }

  /// All values, as Prometheus reads them.
  package var text: String {
    // The values are read without the lock, which only those wait for that make instruments.
    let (families, names) = content.withLock { ($0.families, $0.names) }
    var text = PrometheusText()
    for name in names {
      guard let family = families[name], !family.series.isEmpty else { continue }
      text.begin(name, family.kind, help: family.help)
      for (labels, series) in family.series { series.write(to: &text, name, labels) }
    }
    return text.text
  }

  // MARK: Instruments

  package func makeCounter(
    label: String, dimensions: [(String, String)]
  ) -> any CounterHandler {
    series(label, dimensions) { PrometheusCounter() }
  }

  package func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
    series(label, dimensions) { PrometheusGauge() }
  }

  package func makeRecorder(
    label: String, dimensions: [(String, String)], aggregate: Bool
  ) -> any RecorderHandler {
    guard aggregate else { return series(label, dimensions) { PrometheusGauge() } }
    return series(label, dimensions) {
      PrometheusHistogram(bounds: PrometheusHistogram.amountBounds)
    }
  }

  /// Values are in seconds, so that the name ends in `_seconds`.
  package func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
    series(label, dimensions) { PrometheusHistogram(bounds: PrometheusHistogram.durationBounds) }
  }

  private func series<Series: PrometheusSeries>(
    _ name: String, _ dimensions: [(String, String)], _ make: () -> Series
  ) -> Series {
    let labels = PrometheusLabels(dimensions)
    return content.withLock { content in
      if content.families[name] == nil {
        content.families[name] = Family(kind: Series.kind, help: help[name] ?? name)
        if help[name] == nil { content.names.append(name) }
      }
      guard content.families[name]?.kind == Series.kind else { return make() }
      let known = content.families[name]?.series.first { $0.labels == labels }
      if let known = known?.series as? Series { return known }
      let new = make()
      content.families[name]?.series.append((labels, new))
      return new
    }
  }

  // MARK: The end

  package func destroyCounter(_ handler: any CounterHandler) { remove(handler) }
  package func destroyMeter(_ handler: any MeterHandler) { remove(handler) }
  package func destroyRecorder(_ handler: any RecorderHandler) { remove(handler) }
  package func destroyTimer(_ handler: any TimerHandler) { remove(handler) }

  private func remove(_ handler: AnyObject) {
    content.withLock { content in
      for name in content.families.keys {
        content.families[name]?.series.removeAll { $0.series === handler }
      }
    }
  }
}
#endif
