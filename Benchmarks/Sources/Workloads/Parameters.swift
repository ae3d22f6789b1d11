/// The number of objects of the published figures.
package let standardRowCount = 1_000_000

/// Runs of each reading workload in one process; the best one counts.
let readingRunCount = 5

/// The first states of the generators, one for each source of random choices.
enum Seed {
  static let population: UInt64 = 42
  static let pointGet: UInt64 = 7
  static let indexEquality: UInt64 = 9
  static let updateBulk: UInt64 = 11
  static let updateDurable: UInt64 = 12
  static let insertBatch: UInt64 = 13
  static let pinnedGrowth: UInt64 = 14
  static let deleteBulk: UInt64 = 15
  static let keyValue: UInt64 = 16
  static let values: UInt64 = 17
}

/// How many operations the workloads do that do not follow from the number of objects.
enum Count {
  /// Look-ups by primary key.
  static let pointGets = 1_000_000
  /// Counts by name through the index.
  static let indexEqualities = 20_000
  /// Objects that the sorted and limited query returns.
  static let top = 20
  /// Durable transactions of update_durable, insert_batch100 and pinned_growth.
  static let transactions = 500
  /// Objects created by one transaction of insert_batch100.
  static let batchObjects = 100
  /// Updates in one transaction of pinned_growth.
  static let pinnedUpdates = 10
  /// One object in so many is updated by update_bulk.
  static let rowsPerBulkUpdate = 10
  /// One object in so many is drawn for deletion by delete_bulk.
  static let rowsPerDeletion = 4
}
