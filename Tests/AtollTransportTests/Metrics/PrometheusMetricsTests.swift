#if Sync
import CoreMetrics
import TestSupport
import TestThreads
import Testing

@testable import AtollTransport

/// The backend of `atoll serve`.
@Suite(.waiting, .hangLimit) struct PrometheusMetricsTests {
  private static let catalogue = [
    ServerMetric(.gauge, "z_depth", "Depth."),
    ServerMetric(.counter, "a_total", by: ["reason"], "A \\ and\na second line."),
    ServerMetric(.histogram, "a_seconds", "Time."),
  ]
  private let metrics = PrometheusMetrics(catalogue)

  private func read() throws -> PrometheusExposition { try PrometheusExposition(metrics.text) }

  @Test func nothingIsWrittenOfWhatNobodyMade() {
    #expect(metrics.text == "")
  }

  @Test func metricsStandInTheOrderOfTheCatalogueAndOthersBehind() throws {
    Counter(label: "other_total", factory: metrics).increment()
    Counter(label: "a_total", dimensions: [("reason", "x")], factory: metrics).increment(by: 4)
    Meter(label: "z_depth", factory: metrics).set(2.5)
    let text = try read()
    #expect(text.families.map(\.name) == ["z_depth", "a_total", "other_total"])
    #expect(text.families[1].help == "A \\ and\na second line.")
    #expect(metrics.text.contains("\na_total{reason=\"x\"} 4\n"))
    #expect(text.value("z_depth") == 2.5)
  }

  @Test func labelsAreEscaped() throws {
    for reason in ["", "\"", "\\", "\n", "\\n\"\n", "é, }{="] {
      Counter(label: "a_total", dimensions: [("reason", reason)], factory: metrics).increment()
      #expect(try read().value("a_total", ["reason": reason]) == 1, "\(reason.debugDescription)")
    }
    #expect(metrics.text.contains(#"{reason="\\n\"\n"} 1"#))
  }

  @Test func instrumentsWithTheSameLabelsShareTheirValue() throws {
    let counters = (0..<4).map { number in
      Counter(label: "a_total", dimensions: [("reason", "\(number % 2)")], factory: metrics)
    }
    for counter in counters { counter.increment(by: 5) }
    #expect(try read().values("a_total", by: "reason") == [["0"]: 10, ["1"]: 10])
    counters[0].reset()
    #expect(try read().values("a_total", by: "reason") == [["1"]: 10])
    counters[1].destroy()
    #expect(try read().families[0].samples.count == 1)
  }

  @Test func aCounterNeverGoesBack() throws {
    let counter = Counter(label: "a_total", factory: metrics)
    counter.increment(by: 3)
    counter.increment(by: -2)
    #expect(try read().value("a_total") == 3)
  }

  @Test func aGaugeGoesUpAndDown() throws {
    let meter = Meter(label: "z_depth", factory: metrics)
    meter.increment()
    meter.increment(by: 2.0)
    meter.decrement()
    #expect(metrics.text.hasSuffix("\nz_depth 2\n"))
    Gauge(label: "z_depth", factory: metrics).record(-7)
    #expect(try read().value("z_depth") == -7)
    for (value, written) in [(Double.infinity, "+Inf"), (-.infinity, "-Inf"), (.nan, "NaN")] {
      meter.set(value)
      _ = try read()
      #expect(metrics.text.hasSuffix("\nz_depth \(written)\n"))
    }
  }

  /// A value that is a bound is in its bucket.
  @Test func durationsAreCountedByTheirBuckets() throws {
    let timer = CoreMetrics.Timer(label: "a_seconds", factory: metrics)
    for nanoseconds: Int64 in [0, 100_000, 100_001, 2_500_000_000, 3_600_000_000_000] {
      timer.recordNanoseconds(nanoseconds)
    }
    let text = try read()
    for (bound, count) in [
      ("0.0001", 2), ("0.00025", 3), ("1", 3), ("2.5", 4), ("30", 4), ("+Inf", 5),
    ] {
      #expect(text.value("a_seconds_bucket", ["le": bound]) == Double(count), "\(bound)")
    }
    let sum = try #require(text.value("a_seconds_sum"))
    #expect(abs(sum - 3_602.500_200_001) < 1e-9)
    #expect(text.value("a_seconds_count") == 5)
  }

  @Test func amountsAreCountedByTheirBuckets() throws {
    let recorder = Recorder(label: "b_bytes", factory: metrics)
    recorder.record(16)
    recorder.record(17)
    recorder.record(1 << 40)
    recorder.record(Double.nan)
    let text = try read()
    #expect(text.value("b_bytes_bucket", ["le": "16"]) == 1)
    #expect(text.value("b_bytes_bucket", ["le": "64"]) == 2)
    #expect(text.value("b_bytes_bucket", ["le": "67108864"]) == 2)
    #expect(text.value("b_bytes_count") == 3 && text.value("b_bytes_sum") == 33 + 0x1p40)
  }

  @Test func aNameOfAnotherKindIsNotWritten() throws {
    Counter(label: "a_total", factory: metrics).increment()
    Meter(label: "a_total", factory: metrics).set(9)
    CoreMetrics.Timer(label: "a_total", factory: metrics).recordNanoseconds(1)
    #expect(try read().value("a_total") == 1)
  }

  @Test func nothingIsLostBetweenThreads() async throws {
    let (metrics, count) = (metrics, 2_000)
    await withTaskGroup { group in
      for _ in 0..<8 {
        group.addTask {
          let counter = Counter(label: "a_total", factory: metrics)
          let meter = Meter(label: "z_depth", factory: metrics)
          let timer = CoreMetrics.Timer(label: "a_seconds", factory: metrics)
          for _ in 0..<count {
            counter.increment()
            meter.increment()
            timer.recordNanoseconds(1_000_000_000)
          }
        }
        group.addTask {
          // A text in the middle of it has buckets, a sum and a count that belong together.
          for _ in 0..<20 {
            do {
              let text = try PrometheusExposition(metrics.text)
              #expect(text.value("a_seconds_count") == text.value("a_seconds_sum"))
            } catch { Issue.record(error) }
          }
        }
      }
    }
    let text = try read()
    #expect(text.value("a_total") == 16_000 && text.value("z_depth") == 16_000)
    #expect(text.value("a_seconds_count") == 16_000 && text.value("a_seconds_sum") == 16_000)
  }
}
#endif
