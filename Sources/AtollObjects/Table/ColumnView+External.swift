extension ColumnView {
  /// The values of this column that lie outside the leaf, whole collections and single values alike.
  var externalReferences: [ExternalReference] {
    [external, values.external].compactMap { $0 }.flatMap { vector in
      (0..<vector.count).map { vector.value($0).reference }
    }
  }
}
