public import Observation

// A collection that is read in a block of `withObservationTracking` is told of when it may have
// other elements, or others in their places: of what an element holds, who reads it.

extension Results: Observable {}
extension List: Observable {}
extension MutableSet: Observable {}
extension Map: Observable {}
extension LinkingObjects: Observable {}
extension AnyRealmCollection: Observable {}
