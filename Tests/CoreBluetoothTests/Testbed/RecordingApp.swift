// How the apps of the tests record delegate calls: in words, with the domain and the code of an error.

@testable import CoreBluetooth

/// An app that records each call.
protocol RecordingApp: AnyObject {
    /// The calls, in order.
    var calls: [String] { get set }
    /// The errors that came with the calls.
    var errors: [any Error] { get set }
    /// Called after a call was recorded.
    var onCall: ((String) -> Void)? { get }
}

extension RecordingApp {
    /// Records a call.
    func record(_ call: String, _ error: (any Error)? = nil) {
        if let error {
            self.errors.append(error)
            let nsError = error as NSError
            self.calls.append("\(call) \(nsError.domain) \(nsError.code)")
        } else {
            self.calls.append(call)
        }
        self.onCall?(call)
    }

    /// The number of times that something was called.
    func count(_ call: String) -> Int { self.calls.count { $0 == call } }
}

extension BluetoothAdapter {
    /// The options of a manager of either role on an adapter.
    static func options(for adapter: BluetoothAdapter, restoring identifier: String? = nil) -> [String: Any] {
        var options: [String: Any] = [BluetoothAdapter.optionKey: adapter]
        // Both roles have one and the same key.
        options[CBCentralManagerOptionRestoreIdentifierKey] = identifier
        return options
    }
}
