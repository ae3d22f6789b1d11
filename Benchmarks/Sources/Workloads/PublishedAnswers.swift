/// The answers for the standard number of objects, by workload.
///
/// They were computed by other engines from the same definitions, so they also check the reference.
package let publishedAnswers: [String: Int] = [
  "point_get": 565_237_609,
  "scan_read": 565_041_802,
  "filter_int": 99_785,
  "filter_double": 100_111,
  "filter_and": 124_886,
  "filter_or": 29_849,
  "filter_in": 49_800,
  "filter_date": 99_705,
  "filter_string_eq": 9_999,
  "filter_string_ci": 9_999,
  "filter_string_contains": 11_003,
  "filter_like": 1_009,
  "filter_link": 88_922,
  "filter_backlink_count": 62_542,
  "index_eq": 100_150,
  "index_prefix": 559,
  "distinct": 100,
  "aggregate": 549_702_212,
]
