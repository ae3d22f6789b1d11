import AtollObjects

/// Ships with a spot and any number of stops, on which the rules of GEOWITHIN can be told apart.
enum ShipDatabase {
  static let classes = [
    ClassSchema(
      "Ship",
      properties: [
        PropertySchema("name", .string), PropertySchema("spot", linkTo: "Spot"),
        PropertySchema("stops", linkTo: "Spot", collection: .list),
        PropertySchema("named", linkTo: "Spot", collection: .map),
        PropertySchema("sister", linkTo: "Ship"),
        PropertySchema("flat", linkTo: "NoType"), PropertySchema("odd", linkTo: "NoList"),
        PropertySchema("text", linkTo: "WrongType"),
        PropertySchema("tags", .string, collection: .set),
      ]),
    ClassSchema("Spot", properties: point, isEmbedded: true),
    ClassSchema(
      "NoType", properties: [PropertySchema("coordinates", .double, collection: .list)],
      isEmbedded: true),
    ClassSchema("NoList", properties: [PropertySchema("type", .string)], isEmbedded: true),
    ClassSchema(
      "WrongType",
      properties: [
        PropertySchema("type", .int), PropertySchema("coordinates", .double, collection: .list),
      ], isEmbedded: true),
  ]

  static let point = [
    PropertySchema("type", .string), PropertySchema("coordinates", .double, collection: .list),
  ]

  /// A point of a ship, as a test states it.
  struct Spot {
    var type = "Point"
    var coordinates: [Double]

    init(_ longitude: Double, _ latitude: Double) { coordinates = [longitude, latitude] }

    init(type: String, _ coordinates: [Double]) {
      self.type = type
      self.coordinates = coordinates
    }

    var values: [String: Value] {
      ["type": .string(type), "coordinates": .list(coordinates.map { .double($0) })]
    }
  }

  struct Ship {
    var name: String
    var spot: Spot?
    var stops: [Spot] = []
    var named: [String: Spot] = [:]
    /// The place of the sister in the list of ships.
    var sister: Int?
  }

  static func make(_ ships: [Ship]) throws -> Database {
    let database = try Database.inMemory()
    try database.write { transaction in
      try transaction.addClasses(classes)
      var keys: [ObjectKey] = []
      for ship in ships {
        let key = try transaction.create("Ship", ["name": .string(ship.name)])
        keys.append(key)
        if let spot = ship.spot {
          try transaction.createEmbedded(in: "Ship", key, "spot", spot.values)
        }
        for stop in ship.stops {
          try transaction.createEmbedded(in: "Ship", key, "stops", stop.values)
        }
        for (name, spot) in ship.named {
          try transaction.createEmbedded(in: "Ship", key, "named", mapKey: name, spot.values)
        }
      }
      let table = try transaction.table("Ship").schema.id
      for (place, ship) in ships.enumerated() {
        guard let sister = ship.sister else { continue }
        let link = ObjectLink(table: table, key: keys[sister].rawValue)
        try transaction.set("Ship", keys[place], "sister", .link(link))
      }
    }
    return database
  }

  /// Oslo, Bergen, Suva and its neighbour beyond the antimeridian, the pole, and things that are no
  /// points.
  static let shared = Result {
    try make([
      Ship(
        name: "Oslo", spot: Spot(10.75, 59.91), stops: [Spot(10.7, 59.9), Spot(10.2, 59.7)],
        named: ["home": Spot(10.75, 59.91), "away": Spot(178.44, -18.14)]),
      Ship(name: "Bergen", spot: Spot(5.32, 60.39), stops: [Spot(5.3, 60.4), Spot(10.7, 59.9)]),
      Ship(name: "Suva", spot: Spot(178.44, -18.14), sister: 0),
      Ship(name: "Savusavu", spot: Spot(type: "POINT", [-179.9, -16.8, 12, 99]), sister: 3),
      Ship(name: "Pole", spot: Spot(123, 89.9), stops: [Spot(-57, 89.9)]),
      Ship(name: "Null"),
      Ship(name: "Line", spot: Spot(type: "LineString", [10.75, 59.91])),
      Ship(name: "Short", spot: Spot(type: "Point", [10.75])),
      Ship(name: "Beyond", spot: Spot(type: "point", [370.75, 59.91])),
      Ship(name: "NaN", spot: Spot(type: "Point", [.nan, 59.91])),
    ])
  }
}
