import TestSupport
import TestThreads
import Testing

/// What the reader of metrics refuses.
@Suite(.computing) struct PrometheusExpositionTests {
  private static let head = "# HELP a_total A.\n# TYPE a_total counter\n"
  private static let histogram = "# HELP h H.\n# TYPE h histogram\n"

  @Test func whatIsWellFormedIsRead() throws {
    let text = try PrometheusExposition(
      Self.head + "a_total{x=\"1\\\\2\\\"\\n\",y=\"\"} 3\na_total{x=\"2\",y=\"z\"} 1.5e+02\n"
        + Self.histogram + "h_bucket{le=\"0.5\"} 1\nh_bucket{le=\"+Inf\"} 2\nh_sum 7.5\nh_count 2\n"
    )
    #expect(text.families.map(\.name) == ["a_total", "h"])
    #expect(text.value("a_total", ["x": "1\\2\"\n", "y": ""]) == 3)
    #expect(text.values("a_total", by: "y") == [[""]: 3, ["z"]: 150])
    #expect(text.value("h_count") == 2 && text.value("nothing") == nil)
  }

  @Test(
    arguments: [
      head + "a_total 1", head + "\na_total 1\n", head + "b_total 1\n", "a_total 1\n",
      "# TYPE a_total counter\na_total 1\n", "# HELP a_total A.\na_total 1\n", head + head,
      head + "a_total 1\na_total 2\n", head + "a_total{x=\"1\" ,y=\"2\"} 1\n",
      head + "a_total{x=\"1\",x=\"2\"} 1\n", head + "a_total{x=1} 1\n",
      head + "a_total{__x=\"1\"} 1\n", head + "a_total{x=\"\\t\"} 1\n", head + "a_total  1\n",
      head + "a_total nan\n", head + "a_total 1 \n", head + "a_total -1\n", head + "a_total +Inf\n",
      "# HELP a A\\t\n# TYPE a gauge\na 1\n", "# HELP a A\n# TYPE a counter\na 1\n",
      "# HELP a A\n# TYPE a kind\na 1\n", "# HELP a_total A\n# TYPE a_total gauge\na_total 1\n",
      histogram + "h_bucket{le=\"1\"} 1\nh_sum 1\nh_count 1\n",
      histogram + "h_bucket{le=\"+Inf\"} 1\nh_bucket{le=\"1\"} 1\nh_sum 1\nh_count 1\n",
      histogram + "h_bucket{le=\"1\"} 2\nh_bucket{le=\"+Inf\"} 1\nh_sum 1\nh_count 1\n",
      histogram + "h_bucket{le=\"+Inf\"} 1\nh_sum 1\nh_count 2\n",
      histogram + "h_bucket{le=\"+Inf\"} 1\nh_count 1\n", histogram + "h 1\n",
    ])
  func whatIsNotIsRefused(_ text: String) {
    #expect(throws: PrometheusExposition.Problem.self) { _ = try PrometheusExposition(text) }
  }
}
