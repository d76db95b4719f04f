import BluetoothAir
import NIOCore
import NIOPosix
import Testing

@Suite("Air and threads")
struct AirThreadTests {
    /// Unchecked: the test waits for one thread before it uses the next one.
    private final class Handover: @unchecked Sendable {
        var air: Air?
        var controller: VirtualController?
    }

    @Test("removes a controller that is released on another thread")
    func releaseElsewhere() throws {
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let handover = Handover()
        try loop.submit {
            let air = Air(eventLoop: loop)
            handover.air = air
            handover.controller = air.makeController()
        }.wait()
        weak let controller = handover.controller
        #expect(controller != nil)
        handover.controller = nil
        #expect(controller == nil)
        try loop.submit { handover.air = nil }.wait()
    }
}
