/// Classes with all that their links lead to.
enum ClassClosure {
  static func of(_ descriptors: [ClassDescriptor]) -> [ClassDescriptor] {
    var found: [ClassDescriptor] = []
    var seen: Set<ObjectIdentifier> = []
    // Each link to a class of a file has a descriptor of its own.
    var seenNames: Set<String> = []
    var waiting = Array(descriptors.reversed())
    while let next = waiting.popLast() {
      let isNew =
        next.isDynamic
        ? seenNames.insert(next.name).inserted : seen.insert(ObjectIdentifier(next.type)).inserted
      guard isNew else { continue }
      found.append(next)
      waiting += next.properties.compactMap(\.targetClass).reversed()
    }
    return found
  }
}
