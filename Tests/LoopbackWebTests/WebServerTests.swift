import Foundation
import NIOCore
import Testing

@testable import LoopbackWeb

@Suite("The server of a page")
struct WebServerTests {
    @Test("says whether the port is in use or forbidden, or passes the error on")
    func failures() {
        func failure(_ code: CInt) -> WebServer.Failure {
            WebServer.failure(IOError(errnoCode: code, reason: "bind"))
        }
        #expect(failure(EADDRINUSE) == .portInUse)
        #expect(failure(EACCES) == .portForbidden)
        let other = IOError(errnoCode: EMFILE, reason: "bind")
        #expect(WebServer.failure(other) == .other("\(other)"))
        #expect(WebServer.failure(ChannelError.eof) == .other("\(ChannelError.eof)"))
        for known in [WebServer.Failure.portInUse, .portForbidden, .other("x")] {
            #expect(WebServer.failure(known) == known)
        }
    }
}
