// The types of key-value observation that Foundation on Linux lacks, with Apple's names, so that code which observes
// Core Bluetooth's objects needs one more import and no other change. Where Foundation has them, this module is empty.

#if !canImport(ObjectiveC)
public import Foundation

/// What a change handler is given.
///
/// Apple documents it as `NSKeyValueObservingOptions`. `prior` is not there: nothing is reported before it changes.
public struct NSKeyValueObservingOptions: OptionSet, Sendable {
    /// The bits, as Apple has them.
    public let rawValue: UInt

    /// Options from their bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// The new value.
    public static let new = NSKeyValueObservingOptions(rawValue: 0x01)
    /// The old value.
    public static let old = NSKeyValueObservingOptions(rawValue: 0x02)
    /// A call at once, before `observe` returns, with the present value as the new one.
    public static let initial = NSKeyValueObservingOptions(rawValue: 0x04)
}

/// How a property has changed.
///
/// Apple documents it as `NSKeyValueChange`. Of Core Bluetooth's properties it is always ``setting``.
public enum NSKeyValueChange: UInt, Sendable {
    /// The property has another value.
    case setting = 1
    /// Elements came into a collection.
    case insertion
    /// Elements left a collection.
    case removal
    /// Elements of a collection were replaced.
    case replacement
}

/// A change of a property.
///
/// Apple documents it as `NSKeyValueObservedChange`.
public struct NSKeyValueObservedChange<Value> {
    /// How a property has changed.
    public typealias Kind = NSKeyValueChange

    /// How the property has changed: always ``NSKeyValueChange/setting``.
    public let kind: Kind
    /// The value since the change; `nil` without ``NSKeyValueObservingOptions/new``.
    public let newValue: Value?
    /// The value before the change; `nil` without ``NSKeyValueObservingOptions/old``, and in an initial call.
    public let oldValue: Value?
    /// The places of a collection's elements: always `nil`.
    public let indexes: IndexSet?
    /// Whether the change is still to come: always false.
    public let isPrior: Bool

    init(old: Value?, new: Value, _ options: NSKeyValueObservingOptions) {
        self.kind = .setting
        self.newValue = options.contains(.new) ? new : nil
        self.oldValue = options.contains(.old) ? old : nil
        self.indexes = nil
        self.isPrior = false
    }
}

/// An observation that goes on; keep it for as long, since it ends when the last reference to it goes.
///
/// Apple documents it as `NSKeyValueObservation`.
public final class NSKeyValueObservation: NSObject {
    private let property: ObservedProperty
    private weak var list: ObservationList?

    init(_ property: ObservedProperty, in list: ObservationList?) {
        self.property = property
        self.list = list
        super.init()
    }

    deinit { self.invalidate() }

    /// Ends the observation: no call of the handler begins after this one.
    public func invalidate() { self.list?.remove(self.property) }
}
#endif
