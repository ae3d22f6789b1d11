import AtollObjects

extension Transaction {
  /// Makes what a salvaged file keeps for sync fit together and fit its objects.
  ///
  /// The outbox stays, as far as it can be read; objects that only this device has are sent to the
  /// server again. Then the file synchronises from the beginning: what the server holds comes as a
  /// whole. The store of a server has no outbox, and sends its objects nowhere.
  func mendCapture() throws(ObjectError) {
    guard schema.tables.contains(where: \.isSynced) else { return }
    let capture = try capture
    guard try namedTree(CaptureKey.serverState).count == 0 else {
      for tree in [capture.generations, capture.elements] { try tree.removeFragments() }
      return try mendObjects(capture)
    }
    for tree in [
      capture.outbox, capture.images, capture.generations, capture.elements, capture.sync,
    ] {
      try tree.removeFragments()
    }
    try mendOutbox(capture)
    var state: SyncState
    do throws(ObjectError) { state = try capture.state() } catch {
      try capture.sync.set(nil, for: Capture.stateKey)
      state = try capture.state()
    }
    try capture.forEachEntry { entry throws(ObjectError) in
      state.nextNumber = max(state.nextNumber, entry.number + 1)
      return true
    }
    state.cursor = nil
    state.boot = nil
    try capture.setState(state)
    try mendImages(capture)
    try mendObjects(capture)
    try mendCreations(capture)
  }

  /// Makes what is kept beside the objects fit them.
  private func mendObjects(_ capture: Capture) throws(ObjectError) {
    try mendGenerations(capture)
    try mendElements(capture)
    try mendIncarnations(capture)
  }

  /// Forgets incarnations of objects that are gone; those that are lost come with what the server
  /// holds.
  private func mendIncarnations(_ capture: Capture) throws(ObjectError) {
    var lost: [[UInt8]] = []
    try capture.incarnations.forEach { key, bytes throws(ObjectError) in
      guard let object = CaptureKey.object(ofIncarnation: key),
        CaptureKey.elementID(bytes[...]) != nil,
        let table = schema.table(id: object.table), table.isEmbedded,
        try contains(table.name, ObjectKey(rawValue: object.key))
      else { return lost.append(key) }
    }
    for key in lost { try capture.incarnations.set(nil, for: key) }
  }

  /// Drops entries that cannot be read, and indexes the operations of the others.
  private func mendOutbox(_ capture: Capture) throws(ObjectError) {
    try capture.touched.removeAll()
    for key in try capture.outbox.keys(prefix: []) {
      guard let bytes = try capture.outbox.get(key) else { continue }
      guard let entry = try? Capture.entry(bytes), CaptureKey.number(entry.number) == key else {
        try capture.outbox.set(nil, for: key)
        continue
      }
      guard case .push(let content) = entry.content else { continue }
      let objects = content.operations.map(\.object)
      var first = 0
      while first < objects.count {
        var end = first + 1
        while end < objects.count, objects[end] == objects[first] { end += 1 }
        defer { first = end }
        guard schema.table(objects[first].className)?.isAsymmetric != true else { continue }
        try capture.setPending(
          PendingOperations(
            number: entry.number, first: UInt32(first), count: UInt32(end - first)),
          of: objects[first], number: entry.number)
      }
    }
  }

  private func mendImages(_ capture: Capture) throws(ObjectError) {
    for key in try capture.images.keys(prefix: []) {
      guard let (address, _) = CaptureKey.address(key), try !capture.pending(of: address).isEmpty,
        (try? capture.images(of: address)) != nil
      else {
        try capture.images.set(nil, for: key)
        continue
      }
    }
  }

  private func mendGenerations(_ capture: Capture) throws(ObjectError) {
    for key in try capture.generations.keys(prefix: []) {
      guard let (address, rest) = CaptureKey.address(key), rest.isEmpty,
        var lives = try? capture.generations(of: address)
      else {
        try capture.generations.set(nil, for: key)
        continue
      }
      if lives.head != nil, try localKey(of: address) == nil {
        lives.head = nil
        try capture.setGenerations(lives, of: address)
      }
    }
  }

  /// Gives new ids to the elements of lists that have others than elements.
  private func mendElements(_ capture: Capture) throws(ObjectError) {
    for key in try capture.elements.keys(prefix: []) {
      guard let (address, rest) = CaptureKey.address(key), let (name, end) = CaptureKey.name(rest),
        end.isEmpty, let table = schema.table(address.className), let column = table.column(name),
        column.layout.collection == .list, try localKey(of: address) != nil,
        let bytes = try capture.elements.get(key), (try? Capture.elements(bytes)) != nil
      else {
        try capture.elements.set(nil, for: key)
        continue
      }
    }
    try mendPlaces(capture)
    for table in schema.tables where table.isSynced && !table.isEmbedded {
      let writer = try writer(id: table.id)
      let lists = table.columns.filter { $0.layout.collection == .list }
      guard !lists.isEmpty else { continue }
      for key in try keys(of: table) {
        guard let address = try address(of: ObjectLink(table: table.id, key: key)) else { continue }
        for column in lists {
          let items = try items(column, of: key, writer)
          let known = try? capture.elements(of: address, column.name)
          if let known, known.count == items.count { continue }
          let positions = ListPosition.run(
            nil, nil, count: items.count, mark: try capture.elementMark)
          let elements = positions.map { position in
            ListElement(id: capture.makeElementID(), position: position)
          }
          try capture.setElements(elements, of: address, column.name)
        }
      }
    }
  }

  /// Drops the elements of lists of which something is lost, and of those that are gone.
  private func mendPlaces(_ capture: Capture) throws(ObjectError) {
    let tree = capture.places.tree
    var lists: [(number: UInt64, object: ObjectAddress, property: String)] = []
    var places: [UInt64: Set<ListElement>] = [:]
    var ids: [UInt64: Set<ListElement>] = [:]
    var lost: [[UInt8]] = []
    var next: UInt64 = 0
    try tree.forEach { key, value throws(ObjectError) in
      guard let entry = try? ElementTree.entry(key, value) else { return lost.append(key) }
      switch entry {
      case .list(let object, let property, let number):
        lists.append((number, object, property))
        next = max(next, number + 1)
      case .place(let list, let element): places[list, default: []].insert(element)
      case .id(let list, let element): ids[list, default: []].insert(element)
      case .counter(let number): next = max(next, number)
      }
    }
    for key in lost { try tree.set(nil, for: key) }
    var kept: Set<UInt64> = []
    for (number, object, property) in lists {
      let column = schema.table(object.className)?.column(property)
      let isList = column?.layout.collection == .list
      if isList, try localKey(of: object) != nil, places[number] == ids[number] {
        kept.insert(number)
      } else {
        try capture.places.removeNumber(CaptureKey.object(object), property)
      }
    }
    for number in Set(places.keys).union(ids.keys).subtracting(kept) {
      try capture.places.removeElements(of: number)
    }
    try capture.places.setNext(next)
  }

  private func localKey(of address: ObjectAddress) throws(ObjectError) -> ObjectKey? {
    guard schema.table(address.className) != nil else { return nil }
    return try key(address.className, primaryKey: address.primaryKey)
  }
}
