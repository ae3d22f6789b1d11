package import AtollCapture
internal import AtollObjects

/// The units of one object, or those of them that are of interest.
///
/// Invariant: an object that is not there has no values.
package struct UnitState: Hashable, Sendable {
  /// The life of the object; nil: it is not there.
  package private(set) var generation: Generation?
  /// The units below existence that are there.
  package private(set) var values: [UnitPath: UnitValue]
  /// The creates that replay met while the object was there, beside the one that made it.
  private var metCreates: Set<Generation> = []
  /// The units that are of interest; nil: all.
  package let scope: Set<UnitPath>?

  /// An object that is not there.
  package init(scope: Set<UnitPath>? = nil) {
    generation = nil
    values = [:]
    self.scope = scope
  }

  /// An object as it is.
  package init(
    generation: Generation?, values: [UnitPath: UnitValue], scope: Set<UnitPath>? = nil
  ) {
    self.generation = generation
    self.values = generation == nil ? [:] : values
    self.scope = scope
  }

  package var isThere: Bool { generation != nil }

  package subscript(path: UnitPath) -> UnitValue? {
    path == .existence ? generation.map { _ in .exists } : values[path]
  }

  private func isOfInterest(_ path: UnitPath) -> Bool { scope?.contains(path) ?? true }

  // MARK: Operations

  /// The units that an operation may change, of those that are there or of interest.
  package static func touched(
    by operation: Operation, of units: some Sequence<UnitPath>
  ) -> Set<UnitPath> {
    operation.touchesAll ? Set(units).union([.existence]) : [operation.unit.path]
  }

  /// Applies an operation; without effect when it names another generation of the object.
  package mutating func replay(_ pending: PendingOperation, shape: ClassShape) {
    let operation = pending.operation
    guard operation.action != .create else {
      if isThere {
        metCreates.insert(pending.name)
      } else {
        generation = pending.madeGeneration
        metCreates = [pending.name]
        setDefaults(shape)
      }
      return
    }
    guard let generation, let meant = operation.generation,
      meant == generation || metCreates.contains(meant)
    else { return }
    switch operation.action {
    case .create: break
    case .delete: remove()
    case .set(let property, let value): set(.property(property), .value(value))
    case .increment(let property, let delta):
      if case .value(.int(let number))? = values[.property(property)] {
        set(.property(property), .value(.int(number &+ delta)))
      }
    case .insert(let property, let id, let position, let value):
      set(.element(property: property, id), .element(position, value))
    case .setElement(let property, let id, let value):
      let path = UnitPath.element(property: property, id)
      if case .element(let position, _)? = values[path] {
        set(path, .element(position, value))
      }
    case .moveElement(let property, let id, let position):
      let path = UnitPath.element(property: property, id)
      if case .element(_, let value)? = values[path] { set(path, .element(position, value)) }
    case .removeElement(let property, let id): set(.element(property: property, id), nil)
    case .setEntry(_, _, let value): set(operation.unit.path, .value(value))
    case .addMember: set(operation.unit.path, .exists)
    case .removeEntry: set(operation.unit.path, nil)
    case .edit(let path, let place, let change):
      if let value = values[path]?.changed(at: place, by: change) { set(path, value) }
    }
  }

  /// Clears the creates that were met, between the answered and the pending operations.
  package mutating func forgetCreates() { metCreates = [] }

  private mutating func set(_ path: UnitPath, _ value: UnitValue?) {
    if isOfInterest(path) { values[path] = value }
  }

  private mutating func setDefaults(_ shape: ClassShape) {
    values = [:]
    for (property, value) in shape.defaults { set(.property(property.text), .value(value)) }
  }

  package mutating func remove() {
    generation = nil
    values = [:]
    metCreates = []
  }

  // MARK: Batches

  /// Applies the server's values.
  package mutating func apply(_ change: ObjectChange.Change, shape: ClassShape) {
    switch change {
    case .leave: remove()
    case .full(let generation, let units):
      self.generation = .confirmed(generation)
      metCreates = []
      setDefaults(shape)
      for unit in units { set(unit.path, unit.value) }
    case .update(let units):
      guard isThere else { return }
      for unit in units { set(unit.path, unit.value) }
    }
  }

  /// The state restricted to some units.
  package func restricted(to scope: Set<UnitPath>) -> UnitState {
    UnitState(
      generation: generation, values: values.filter { scope.contains($0.key) }, scope: scope)
  }
}
