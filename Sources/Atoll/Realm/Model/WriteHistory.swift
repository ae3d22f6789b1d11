internal import AtollObjects

/// What the writes of a realm have made of the instances of objects: which of them are of no use any
/// more.
///
/// An instance keeps the number of the write that made its object, or that deleted it, and `lives`
/// at that time.
struct WriteHistory {
  /// That of the write that is open, or that was the last one.
  private(set) var number: UInt32 = 0
  /// The numbers of writes that were cancelled and had made objects, or deleted some.
  private var cancelled: Set<UInt32> = []
  /// The objects that were deleted and made again with the same key.
  private(set) var lives = ObjectLives()
  /// Whether the open write made objects.
  private(set) var hasNewObjects = false
  /// Whether instances of objects were given to `delete` in the open write.
  private var hasDeletedRows = false

  /// A write has begun.
  mutating func begin() {
    number &+= 1
    hasNewObjects = false
    hasDeletedRows = false
  }

  /// The write has made objects.
  mutating func noteNewObjects() { hasNewObjects = true }

  /// The write has deleted the object of an instance.
  ///
  /// - Returns: The number of the write.
  mutating func noteDeletedRow() -> UInt32 {
    hasDeletedRows = true
    return number
  }

  /// The write has made an object again, with the key of one that was deleted.
  mutating func noteNewLife(of object: ObjectLink) { lives.begin(object) }

  /// The write was committed.
  mutating func commit() { lives.keep() }

  /// The write was cancelled.
  mutating func cancel() {
    lives.undo()
    if hasNewObjects || hasDeletedRows { cancelled.insert(number) }
  }

  /// Whether the write with this number was cancelled, and has made or deleted objects.
  func isCancelled(_ number: UInt32) -> Bool { !cancelled.isEmpty && cancelled.contains(number) }
}
