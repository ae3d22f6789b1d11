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

  @inline(__always)
  var stamp: UInt64 { unsafe currentStamp }

  /// Lets what was found out about rows count for nothing.
  func change() { unsafe currentStamp &+= 1 }

  /// Whether the thread is the one of the last use, so that nothing else is to be asked.
  @inline(__always)
  var isOnLastThread: Bool { unsafe ThreadNumber.current == lastThread }

  /// Takes note that the present thread may use the realm.
  func noteThread(_ thread: UInt) { unsafe lastThread = thread }
}
