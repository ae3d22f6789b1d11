extension QuerySyntax {
  /// Reads a query: a predicate, then any number of SORT, DISTINCT and LIMIT, and perhaps a GROUP.
  ///
  /// - Throws: `QuerySyntaxError` at the first token that no query could have there.
  public static func parse(_ text: String) throws(QuerySyntaxError) -> Request {
    var parser = try Parser(text)
    return try parser.parseRequest()
  }

  /// Reads the text of a geo shape, the form in which an argument may bring one.
  ///
  /// - Throws: `QuerySyntaxError` with positions in `text`.
  package static func parseGeoShape(_ text: String) throws(QuerySyntaxError) -> GeoShape {
    var parser = try Parser(text)
    return try parser.parseWholeGeoShape()
  }
}
