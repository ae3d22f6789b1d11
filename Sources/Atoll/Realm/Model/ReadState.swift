internal import AtollObjects

/// What a read of a property asks of its realm before anything else.
///
/// One belongs to each realm, and to what that is confined to. Reads that ask it cost a comparison or
/// two, where finding out again would ask a dozen things.
// SAFETY: the run-time checks of exclusive access are left out: one thread at a time uses a realm that
// is not frozen, a frozen one never changes it, and no access calls back.
@safe
final class ReadState {
  /// Grows with all that may change what a row reads, or whether it may read: what was found out
  /// about a row holds as long as this is the same.
  @exclusivity(unchecked) private var currentStamp: UInt64 = 1
  /// The thread of the last use; another one asks the confinement.
  @exclusivity(unchecked) private var lastThread = ThreadNumber.current

  /// What the rows of the class that was read last have in common.
  @exclusivity(unchecked) private var rows: RowPattern?

  @inline(__always)
  var stamp: UInt64 { unsafe currentStamp }

  /// What the rows of a class have in common; nil where that is to be found out.
  @inline(__always)
  func rows(of type: ObjectBase.Type) -> RowPattern? {
    guard let rows = unsafe rows, rows.stamp == stamp, rows.type == type,
      rows.access.hasQuickReads(rows.stamp)
    else { return nil }
    return rows
  }

  func note(_ rows: RowPattern) { unsafe self.rows = rows }

  /// Lets what was found out about rows count for nothing.
  func change() { unsafe currentStamp &+= 1 }

  /// Whether the thread is the one of the last use, so that nothing else is to be asked.
  @inline(__always)
  var isOnLastThread: Bool { unsafe ThreadNumber.current == lastThread }

  /// Takes note that the present thread may use the realm.
  func noteThread(_ thread: UInt) { unsafe lastThread = thread }
}

/// What the rows of one class have in common, as long as the realm's stamp is the same and no write is
/// open: a loop over many objects finds it out once.
struct RowPattern {
  let type: ObjectBase.Type
  let access: ClassAccess
  let epoch: UInt32
  let life: UInt32
  let stamp: UInt64
}
