import Fixtures
import Foundation
import NIOCore
import Testing

@testable import BluetoothTransport

@Suite("Transport errors")
struct TransportErrorTests {
    private static let unix = StreamAddress.unix(path: "/run/air")
    private static let tcp = StreamAddress.tcp(host: "a.example", port: 9_101)

    @Test(
        "names the cause of a failed connection, and the remedy",
        arguments: [
            (unix, ENOENT, .notFound, "there is no socket at /run/air"),
            (unix, ENOTDIR, .notFound, "there is no socket"),
            (unix, ECONNREFUSED, .refused, "nobody serves the socket /run/air any more: start what serves it"),
            (tcp, ECONNREFUSED, .refused, "nobody listens at tcp:a.example:9101: start"),
            (unix, EACCES, .noPermission, "ask its owner for access"), (tcp, EPERM, .noPermission, "ask its owner"),
            (unix, ENOTSOCK, .badName, "is not a stream socket"),
            (unix, EPROTOTYPE, .badName, "is not a stream socket"),
            (tcp, ETIMEDOUT, .timedOut, "no answer from tcp:a.example:9101"),
            (tcp, ENOENT, .failed, "cannot connect to"),
        ] as [(StreamAddress, CInt, TransportError.Code, String)]
    )
    func connecting(address: StreamAddress, number: CInt, code: TransportError.Code, text: String) {
        let error = TransportError(connectingTo: address, IOError(errnoCode: number, reason: "test"))
        #expect(error.code == code && error.message.contains(text) && !error.message.contains("\n"), "\(error)")
        #expect(error.errorNumber == (code == .timedOut ? nil : number))
    }

    @Test(
        "names the cause of a failed server, and the remedy",
        arguments: [
            (unix, EADDRINUSE, .inUse, "end the other server, or choose another place"),
            (tcp, EACCES, .noPermission, "choose a place that is yours"), (unix, EPERM, .noPermission, "no permission"),
            (unix, ENOENT, .notFound, "the folder of /run/air does not exist"),
            (unix, ENOTDIR, .notFound, "the folder"),
            (tcp, EADDRNOTAVAIL, .badName, "is not an address of this machine"),
            (tcp, EIO, .failed, "cannot listen at"),
        ] as [(StreamAddress, CInt, TransportError.Code, String)]
    )
    func listening(address: StreamAddress, number: CInt, code: TransportError.Code, text: String) {
        for error in [
            TransportError(listeningAt: address, errno: number),
            TransportError(listeningAt: address, IOError(errnoCode: number, reason: "test")),
        ] {
            #expect(error.code == code && error.message.contains(text) && error.errorNumber == number, "\(error)")
        }
    }

    @Test("describes any other error in one line")
    func others() {
        struct Other: Error, CustomStringConvertible { var description: String { "one\ntwo\n\nthree" } }
        #expect(TransportError(connectingTo: Self.tcp, ChannelError.connectTimeout(.seconds(1))).code == .timedOut)
        #expect(TransportError(connectingTo: Self.unix, Other()).message.hasSuffix(": one two three"))
        #expect(TransportError(listeningAt: Self.unix, Other()).message.hasSuffix(": one two three"))
    }

    @Test("gives a failed call on a file its code and error number")
    func files() {
        for (number, code) in [
            (ENOENT, .notFound), (ENOTDIR, .notFound), (EACCES, .noPermission), (EPERM, .noPermission),
            (EROFS, .noPermission), (EADDRINUSE, .inUse), (EWOULDBLOCK, .inUse), (EBUSY, .inUse), (EIO, .failed),
        ] as [(CInt, TransportError.Code)] {
            let error = TransportError(errno: number, "cannot test")
            #expect(error.code == code && error.errorNumber == number)
            #expect(error.message == "cannot test: \(systemErrorText(number))")
        }
    }

    @Test("names an unknown host, when connecting and when listening")
    func unknownHost() {
        // A name with an empty part is not looked up.
        let address = StreamAddress.tcp(host: "a..example", port: 9101)
        #expect {
            try SocketAddress.makeAddressResolvingHost("a..example", port: 9101)
        } throws: { error in
            let text = "no host has the name a..example: correct it, or give its address in numbers"
            return [TransportError(connectingTo: address, error), TransportError(listeningAt: address, error)]
                .allSatisfy { $0.code == .notFound && $0.message == text }
        }
    }
}
