import AtollObjects

/// The images of one object while a transaction is recorded, read as its units are touched: many
/// pending operations on one object cost the next one nothing.
struct OpenImages {
  private let capture: Capture
  private let object: [UInt8]
  /// Those that were read, as they were.
  private var old: ObjectImages
  private var new: ObjectImages
  /// The elements, entries and members whose images were asked for.
  private var asked: Set<UnitPath> = []

  /// `object`: the object's key.
  init(_ capture: Capture, _ object: [UInt8]) throws(ObjectError) {
    self.capture = capture
    self.object = object
    old = try capture.ownImages(object)
    new = old
  }

  /// Whether the object was there; nil when no pending operation created or deleted it.
  var existence: Bool? { new.existence }

  /// Keeps the value before of a unit that is touched, if that is the confirmed one.
  mutating func keep(_ value: UnitValue?, _ path: UnitPath) throws(ObjectError) {
    guard new.existence == nil, new.units[path] == nil else { return }
    if asked.insert(path).inserted, let image = try capture.partImage(object, path) {
      old.units[path] = image
      new.units[path] = image
      return
    }
    new.units[path] = .some(value)
  }

  /// The object was not there: no unit of it has an image.
  mutating func setAbsent() throws(ObjectError) {
    old = try capture.images(object)
    new = ObjectImages()
    new.existence = false
  }

  /// The object was there; a unit without an image was not.
  mutating func setPresent() { new.existence = true }

  func write() throws(ObjectError) { try capture.setImages(new, replacing: old, object) }
}
