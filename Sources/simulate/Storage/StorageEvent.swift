/// The counters of a run: its actions, the faults, and rare branches that it must reach.
enum StorageEvent: String, CaseIterable, Sendable {
  // What was done.
  case transactions
  case cancelledTransactions
  case relaxedCommits
  case carelessCommits
  case synchronizations
  case turns
  case bulkLoads
  case reopenings
  case compactionSteps
  case shorterFiles
  case comparedVersions
  case comparedPins
  case spaceWalks
  case checks
  // What befell it.
  case powerCuts
  case doubleCrashes
  case processDeaths
  case failedWrites
  case fullDisks
  case failedSyncs
  case readErrors
  case flippedBits
  // Branches of the store that only rare circumstances reach.
  case filesMade
  case encryptedFiles
  case cleanOpenings
  case verifiedOpenings
  case rolledBackOpenings
  case commitsFoundUnacknowledged
  case damageTakenForPowerCuts
  case relaxedCommitsLost
  case relaxedCommitsSurvived
  case carelessFilesLost
  case syncedCommits
  case writesAhead
  case logPages
  case logBases

  /// The kinds of faults.
  static let faults: [StorageEvent] = [
    .processDeaths, .failedWrites, .fullDisks, .failedSyncs, .readErrors, .flippedBits,
  ]
}
