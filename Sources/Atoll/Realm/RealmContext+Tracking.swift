internal import AtollObjects

extension _RealmContext {
  /// Whether what is read now is to be noted for a block of `withObservationTracking`.
  @inline(__always)
  var isTracking: Bool { probe?.isTracking ?? false }

  /// The notes of what was read; nil in a frozen realm.
  private var trackedReads: TrackedReads? {
    if let knownTrackedReads { return knownTrackedReads }
    guard let probe else { return nil }
    let reads = TrackedReads(probe.registrar)
    knownTrackedReads = reads
    notifier.attach(reads)
    return reads
  }

  /// Notes that a property of an object was read.
  @inline(never)
  func noteRead(_ row: _ManagedRow, _ position: Int) {
    if row.isUnreadable { return }
    let column = row.access.columns[position]
    if column.isAbsent {
      trackedReads?.note(.contents, ofTable: row.access.table.id, in: self)
    } else {
      trackedReads?.note(row.address, column.id, in: self)
    }
  }

  /// Notes that it was asked whether there is an object.
  func noteExistence(_ row: _ManagedRow) {
    if isTracking, !row.isUnreadable { trackedReads?.note(row.address, nil, in: self) }
  }

  /// Notes that an object was looked for.
  ///
  /// - Parameters:
  ///   - key: Which was found; nil: none.
  ///   - access: Its class; nil: the file does not have it.
  func noteSearch(_ key: ObjectKey?, _ access: ClassAccess?) {
    guard isTracking else { return }
    let table = access?.table.id
    if let key, let table {
      trackedReads?.note(ObjectLink(table: table, key: key.rawValue), nil, in: self)
    } else {
      trackedReads?.note(.members, ofTable: table, in: self)
    }
  }

  /// Notes that a class was read as a whole.
  func noteRead(_ aspect: ClassAspect, of descriptor: ClassDescriptor) {
    guard isTracking, let table = access(descriptor)?.table.id else { return }
    trackedReads?.note(aspect, ofTable: table, in: self)
  }

  /// Notes that it was asked whether there are objects of any class.
  func noteEmptiness() {
    guard isTracking else { return }
    trackedReads?.note(.members, ofTable: nil, in: self)
    for table in schema.visibleTables { trackedReads?.note(.members, ofTable: table.id, in: self) }
  }

  /// Notes that a collection was asked for its elements.
  @inline(never)
  func noteRead(_ list: any TrackedList) { trackedReads?.note(list, in: self) }
}
