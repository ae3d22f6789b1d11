/// Milliseconds of the peers for 1 000 000 objects, measured side by side on one machine.
///
/// realm-core 20, SQLite 3.40 (WAL, synchronous = FULL), DuckDB 1 (one thread, through its Python
/// module, scaled from 828 561 rows); nil where a peer cannot do the workload or was not measured.
struct PublishedFigure {
  let realmCore: Double
  let sqlite: Double
  let duckDB: Double?

  private init(_ realmCore: Double, _ sqlite: Double, _ duckDB: Double? = nil) {
    self.realmCore = realmCore
    self.sqlite = sqlite
    self.duckDB = duckDB
  }

  /// By name of the workload.
  static let all: [String: PublishedFigure] = [
    "bulk_insert": PublishedFigure(5417, 6096, 1360),
    "point_get": PublishedFigure(1411, 1260),
    "scan_read": PublishedFigure(67, 134),
    "filter_int": PublishedFigure(1.3, 43, 1.4),
    "filter_double": PublishedFigure(2.5, 49, 3.4),
    "filter_and": PublishedFigure(17.8, 61, 6.4),
    "filter_or": PublishedFigure(9.4, 78),
    "filter_in": PublishedFigure(7.3, 64, 5.6),
    "filter_date": PublishedFigure(6.0, 50, 1.8),
    "filter_string_eq": PublishedFigure(4.7, 53, 3.0),
    "filter_string_ci": PublishedFigure(9.8, 53),
    "filter_string_contains": PublishedFigure(12.8, 77, 40),
    "filter_like": PublishedFigure(75, 78, 39),
    "filter_link": PublishedFigure(105, 290),
    "filter_backlink_count": PublishedFigure(59, 672),
    "index_eq": PublishedFigure(43, 78),
    "index_prefix": PublishedFigure(10.8, 0.03),
    "sort_double": PublishedFigure(367, 864, 92),
    "sort_string": PublishedFigure(829, 244, 71),
    "top_20": PublishedFigure(147, 70, 5.5),
    "distinct": PublishedFigure(636, 796, 2.4),
    "aggregate": PublishedFigure(15, 101, 4.3),
    "update_bulk": PublishedFigure(107, 501),
    "update_durable": PublishedFigure(932, 68),
    "insert_batch100": PublishedFigure(5487, 1890),
    "pinned_growth": PublishedFigure(1885, 200),
    "delete_bulk": PublishedFigure(4422, 1990),
    "open": PublishedFigure(0.25, 0.07),
  ]
}
