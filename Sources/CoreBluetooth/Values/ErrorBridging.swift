// Casts between Core Bluetooth's errors and `NSError` at run time. On Apple's platforms the Objective-C runtime makes
// `error as? NSError`, `catch let error as NSError` and `nsError as? CBError` work; elsewhere Foundation's protocol for
// such errors gives only the coercion `error as NSError`. With this conformance all of them work here, too.

#if !canImport(Darwin)
public import Foundation

extension CBError: _ObjectiveCBridgeable {
    /// The error as an `NSError`.
    public func _bridgeToObjectiveC() -> NSError { self._nsError }

    /// An error of the domain ``CBErrorDomain``; another domain ends the program.
    public static func _forceBridgeFromObjectiveC(_ source: NSError, result: inout CBError?) {
        result = CBError(_nsError: source)
    }

    /// An error of the domain ``CBErrorDomain``, if it is one.
    public static func _conditionallyBridgeFromObjectiveC(_ source: NSError, result: inout CBError?) -> Bool {
        guard source.domain == CBErrorDomain else { return false }
        result = CBError(_nsError: source)
        return true
    }

    /// An error of the domain ``CBErrorDomain``; anything else is ``CBError/Code/unknown``.
    public static func _unconditionallyBridgeFromObjectiveC(_ source: NSError?) -> CBError {
        var result: CBError?
        if let source { _ = self._conditionallyBridgeFromObjectiveC(source, result: &result) }
        return result ?? CBError(.unknown)
    }
}

extension CBATTError: _ObjectiveCBridgeable {
    /// The error as an `NSError`.
    public func _bridgeToObjectiveC() -> NSError { self._nsError }

    /// An error of the domain ``CBATTErrorDomain``; another domain ends the program.
    public static func _forceBridgeFromObjectiveC(_ source: NSError, result: inout CBATTError?) {
        result = CBATTError(_nsError: source)
    }

    /// An error of the domain ``CBATTErrorDomain``, if it is one.
    public static func _conditionallyBridgeFromObjectiveC(_ source: NSError, result: inout CBATTError?) -> Bool {
        guard source.domain == CBATTErrorDomain else { return false }
        result = CBATTError(_nsError: source)
        return true
    }

    /// An error of the domain ``CBATTErrorDomain``; anything else is ``CBATTError/Code/unlikelyError``.
    public static func _unconditionallyBridgeFromObjectiveC(_ source: NSError?) -> CBATTError {
        var result: CBATTError?
        if let source { _ = self._conditionallyBridgeFromObjectiveC(source, result: &result) }
        return result ?? CBATTError(.unlikelyError)
    }
}
#endif
