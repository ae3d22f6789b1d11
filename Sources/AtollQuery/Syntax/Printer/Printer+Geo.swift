extension Printer {
  mutating func print(_ area: QuerySyntax.GeoArea) {
    switch area {
    case .shape(let shape): print(shape)
    case .argument(let index): print("$\(index)")
    }
  }

  mutating func print(_ shape: QuerySyntax.GeoShape) {
    switch shape {
    case .box(let corner, let opposite):
      print("geoBox(")
      printList([corner, opposite]) { printer, point in printer.print(point) }
    case .circle(let center, let radius):
      print("geoCircle(")
      print(center)
      print(", ")
      print(radius.value)
    case .polygon(let rings):
      print("geoPolygon(")
      printList(rings) { printer, ring in
        printer.print("{")
        printer.printList(ring) { printer, point in printer.print(point) }
        printer.print("}")
      }
    }
    print(")")
  }

  private mutating func print(_ point: QuerySyntax.GeoPoint) {
    print("[")
    print(point.longitude.value)
    print(", ")
    print(point.latitude.value)
    if let altitude = point.altitude { print(", \(altitude.digits)") }
    print("]")
  }

  private mutating func print(_ coordinate: QuerySyntax.Coordinate) {
    switch coordinate {
    case .number(let number): print(number.digits)
    case .argument(let index): print("$\(index)")
    }
  }
}
