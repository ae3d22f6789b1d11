internal import AtollObjects
internal import AtollSync
internal import TestSupport

// Copies of files, and files that are put back to what they were (R3, R14, R18).

extension SyncRun {
  /// How many devices may be added.
  private static let copyLimit = 2

  /// Another device begins with a copy of the file, and both continue.
  func copy(_ device: SyncDevice) throws {
    guard devices.count < profile.deviceCount + Self.copyLimit, try maySetBack(device) else {
      return
    }
    count(.copiedDevices)
    let copy = try SyncDevice(copyOf: device, index: devices.count, seed: random.next())
    device.isCopied = true
    devices.append(copy)
    note("device \(copy.index) is a copy of \(device.index)")
    try compare(copy)
  }

  /// Whether one more reset is not the one that a device refuses, as those before did not help.
  private func maySetBack(_ device: SyncDevice) throws -> Bool {
    try SyncClient.remainingResetCount(device.database.snapshot()) > 1
  }

  /// The device's file is what it was when it was backed up.
  func restoreBackup(of device: SyncDevice) throws {
    guard device.hasBackup, try maySetBack(device) else { return }
    count(.restoredDevices)
    drop(device)
    try device.restoreBackup()
    try compare(device)
  }

  /// Between two ticks: what the server was told is either in the copy or not.
  func backUpServer() throws {
    guard let host, !journal.isUncertain else { return }
    try host.backUp()
    journal.backUp()
  }

  func restoreServerBackup() throws {
    guard let host, host.hasBackup, try devices.allSatisfy(maySetBack) else { return }
    count(.restoredServers)
    note("the server is put back")
    isServerRestored = true
    for device in devices { drop(device) }
    connections = []
    try host.restoreBackup()
    journal.restoreBackup()
  }
}
