import AtollObjects

/// An embedded object as a value.
///
/// Two values are equal only if they are of one incarnation: an object that was replaced by one
/// that holds the same is another.
package struct EmbeddedValue: Hashable, Sendable {
  /// Tells the object from those that were in its place before, or will be.
  ///
  /// Nil for one in an asymmetric object, and for one from before objects had an incarnation, until
  /// something in the property that holds it is changed.
  package var incarnation: ElementID?
  /// The properties that differ from their type's default, in the order of names.
  package var fields: [RecordedField]

  package init(incarnation: ElementID? = nil, _ fields: [RecordedField]) {
    self.incarnation = incarnation
    self.fields = fields
  }

  /// A property; nil: it has its type's default.
  package subscript(property: String) -> RecordedValue? {
    get { fields[named: property] }
    set { fields[named: property] = newValue }
  }
}

/// A property of an embedded object.
package struct RecordedField: Hashable, Sendable {
  package var property: String
  package var value: RecordedValue

  package init(property: String, value: RecordedValue) {
    self.property = property
    self.value = value
  }
}

extension RecordedField: NamedElement {
  @usableFromInline package var name: String { property }

  @usableFromInline package init(name: String, value: RecordedValue) {
    self.init(property: name, value: value)
  }
}
