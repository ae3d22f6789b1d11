/// The counters of a run: its actions, the faults, and rare branches that it must reach.
enum SyncEvent: String, CaseIterable, Sendable {
  // What was done.
  case steps
  case transactions
  case operations
  case localTransactions
  case subscriptionChanges
  case messages
  case comparedFiles
  case verifications
  case freshDevices
  case events
  // What befell it.
  case droppedConnections
  case partitions
  case disturbances
  case storms
  case devicePowerCuts
  case deviceDeaths
  case serverPowerCuts
  case serverDeaths
  case lostCommits
  case copiedDevices
  case restoredDevices
  case restoredServers
  case overtakings
  // What was answered.
  case applied
  case outdatedByClock
  case outdatedByDeletion
  case refused
  // Branches that only rare circumstances reach.
  case pushesSentAgain
  case refusedBatches
  case staleGreetings
  case clampedClocks
  case resumedBootstraps
  case restartedBootstraps
  case progressiveBatches
  case mergedCreations
  case waitingLinks
  case newIdentities
  case resets
  case knownEntries

  /// The kinds of faults.
  static let faults: [SyncEvent] = [
    .droppedConnections, .partitions, .disturbances, .storms, .devicePowerCuts, .deviceDeaths,
    .serverPowerCuts, .serverDeaths, .copiedDevices, .restoredDevices, .restoredServers,
    .overtakings,
  ]

  /// The kinds of answers.
  static let answers: [SyncEvent] = [.applied, .outdatedByClock, .outdatedByDeletion, .refused]
}
