extension RealmCollection where Element: RealmCollectionValue {
  /// Runs the query for its objects and tells how: the indexes, the tests in their order, and how
  /// many leaves and objects were looked at.
  ///
  ///     print(try realm.objects(Dog.self).where { $0.age > 3 }.explain())
  ///
  /// The query runs each time, slower than otherwise; what the collection has found is not used.
  ///
  /// - Returns: The plan, with the names of the file for classes and properties.
  /// - Throws: `Realm.Error` with the code `invalidInput` for a collection of values, which has no
  ///   query; what the file fails with.
  public func explain() throws -> QueryPlan { try requiredList("explain").plan() }
}
