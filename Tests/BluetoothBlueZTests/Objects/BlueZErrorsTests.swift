import BluetoothHost
import Testing

@testable import BluetoothBlueZ

struct BlueZErrorsTests {
    @Test(
        "maps each error of an attribute",
        arguments: [
            ("NotPermitted", "Read not permitted", .readNotPermitted),
            ("NotPermitted", "Write not permitted", .writeNotPermitted), ("NotPermitted", "", .writeNotPermitted),
            ("NotPermitted", "Not paired", .insufficientAuthentication),
            ("InvalidArguments", "Invalid offset", .invalidOffset),
            ("InvalidArguments", "Invalid Length", .invalidAttributeValueLength),
            ("NotAuthorized", "", .insufficientAuthorization), ("NotSupported", "", .requestNotSupported),
            ("Failed", "Operation failed with ATT error: 0x81", ATTErrorCode(rawValue: 0x81)),
            ("Failed", "Operation failed with ATT error: 0x0e", .unlikelyError), ("Failed", "0x", .unlikelyError),
            ("Failed", "0x00", .unlikelyError), ("Failed", "0xfffff", .unlikelyError), ("Failed", "", .unlikelyError),
            ("Whatever", "nonsense", .unlikelyError),
        ] as [(String, String, ATTErrorCode)]
    )
    func attributeErrors(name: String, text: String, code: ATTErrorCode) {
        let failure = BusFailure(name: "org.bluez.Error." + name, text: text)
        #expect(failure.attributeError(isRead: false) == .att(code))
    }

    @Test(
        "repeats a request that another program's is in the way of",
        arguments: [
            ("InProgress", "In Progress"), ("NotPermitted", "Write acquired"), ("NotPermitted", "Notify acquired"),
        ]
    )
    func busy(name: String, text: String) {
        let failure = BusFailure(name: "org.bluez.Error." + name, text: text)
        #expect(failure.attributeError(isRead: true) == .busy)
    }

    @Test("repeats a request that BlueZ could not send, as it does while it pairs")
    func unsent() {
        let failure = BusFailure(name: "org.bluez.Error.Failed", text: "Operation failed with ATT error: 0x00")
        #expect(failure.attributeError(isRead: true) == .unsent)
    }

    @Test("tells a connection that BlueZ is ending from one that works")
    func ending() {
        let failure = BusFailure(name: "org.bluez.Error.NotConnected", text: "Not Connected")
        #expect(failure.attributeError(isRead: false) == .ending)
    }

    @Test(
        "maps each error of Connect",
        arguments: [
            ("org.bluez.Error.Failed", "le-connection-abort-by-local", .failed),
            ("org.bluez.Error.Failed", "br-connection-canceled", .failed),
            ("org.bluez.Error.Failed", "br-connection-profile-unavailable", .classic),
            ("org.bluez.Error.Failed", "Operation already in progress", .inProgress),
            ("org.bluez.Error.InProgress", "", .inProgress),
            ("org.freedesktop.DBus.Error.UnknownObject", "", .unknownDevice),
            ("org.freedesktop.DBus.Error.NoReply", "", .failed),
        ] as [(String, String, BusFailure.ConnectOutcome)]
    )
    func connectErrors(name: String, text: String, outcome: BusFailure.ConnectOutcome) {
        #expect(BusFailure(name: name, text: text).connectOutcome == outcome)
    }

    @Test(
        "tells a user who may not from a service that is not there",
        arguments: [
            ("org.freedesktop.DBus.Error.AccessDenied", .unauthorized),
            ("org.freedesktop.DBus.Error.ServiceUnknown", .absent), ("org.bluez.Error.Failed", .absent),
        ] as [(String, BlueZError.Kind)]
    )
    func openingErrors(name: String, kind: BlueZError.Kind) {
        let error = BlueZError(asking: BusFailure(name: name, text: "one\ntwo\u{1B}[2J"))
        #expect(error.kind == kind)
        #expect(!error.message.contains("\n") && !error.message.contains("\u{1B}"))
    }

    @Test(
        "says why a pairing has failed, and takes one that was there for a success",
        arguments: [
            ("AlreadyExists", nil), ("InProgress", .inProgress), ("AuthenticationCanceled", .cancelled),
            ("AuthenticationTimeout", .timedOut), ("ConnectionAttemptFailed", .linkEnded),
            ("AuthenticationRejected", .failedByPeer(.unspecifiedReason)),
            ("AuthenticationFailed", .failed(.unspecifiedReason)), ("Unknown", .failed(.unspecifiedReason)),
        ] as [(String, PairingError?)]
    )
    func pairing(name: String, error: PairingError?) {
        #expect(BusFailure(name: "org.bluez.Error." + name, text: "").pairingError == error)
    }
}
