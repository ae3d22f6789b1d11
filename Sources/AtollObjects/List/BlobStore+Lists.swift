internal import AtollStorage

extension BlobStore {
  /// What the row groups of lists are read with; it holds this store, and is held by who reads.
  private var environment: RowGroupEnvironment {
    RowGroupEnvironment(cache: reader.cache, store: self)
  }

  package func makeList(_ layout: ColumnLayout) throws -> any OutsideList {
    mutableList(.empty, layout)
  }

  package func openList(_ value: ExternalValue, _ layout: ColumnLayout) throws -> any OutsideList {
    mutableList(try value.listRoot(layout), layout)
  }

  private func mutableList(_ root: TreeRoot, _ layout: ColumnLayout) -> any OutsideList {
    guard let transaction else { preconditionFailure("a snapshot changes no lists") }
    return MutableListTree(
      root, layout, transaction: transaction, environment: environment)
  }

  package func readList(_ value: ExternalValue, _ layout: ColumnLayout) throws
    -> any OutsideElements
  {
    try ListTree(value, layout, reader: reader, environment: environment)
  }
}
