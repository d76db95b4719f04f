// Advertising as the user wants it, over a controller that stops by itself.

import BluetoothHCI
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("Advertiser")
struct AdvertiserTests {
    private let request = AdvertisingParameters(data: ByteBuffer(bytes: [2, 1, 6]))
    private let other = AdvertisingParameters(data: ByteBuffer(bytes: [2, 1, 4]))

    /// Answers every step with success until none is due; the outcomes.
    private func settle(_ advertiser: inout Advertiser) -> [Advertiser.Outcome] {
        var outcomes: [Advertiser.Outcome] = []
        var step = advertiser.next()
        while step != nil {
            let (outcome, following) = advertiser.completed(nil)
            if let outcome { outcomes.append(outcome) }
            step = following ?? advertiser.next()
        }
        return outcomes
    }

    /// Answers the steps that set the data; Enable is due.
    private func configure(_ advertiser: inout Advertiser) {
        while advertiser.next() != .enable { while self.step(&advertiser, .success) != nil {} }
    }

    /// The failure of a step with a status.
    private func failure(_ status: HCIErrorCode) -> LEHostError? { status == .success ? nil : .refused(status) }

    private func step(_ advertiser: inout Advertiser, _ status: HCIErrorCode) -> Advertiser.Step? {
        advertiser.completed(self.failure(status)).step
    }

    /// Whether neither a step nor an outcome follows from a status.
    private func isSilent(_ advertiser: inout Advertiser, _ status: HCIErrorCode) -> Bool {
        advertiser.completed(self.failure(status)) == (nil, nil)
    }

    private func outcome(_ advertiser: inout Advertiser, _ status: HCIErrorCode) -> Advertiser.Outcome? {
        advertiser.completed(self.failure(status)).outcome
    }

    @Test("GAP/CONN/UCON/BV-01-C sets parameters, data and scan response, then enables")
    func order() {
        var advertiser = Advertiser()
        let number = advertiser.start(self.request)
        #expect(advertiser.next() == .setParameters(self.request))
        #expect(self.step(&advertiser, .success) == .setData(self.request.data))
        #expect(self.step(&advertiser, .success) == .setScanResponse(self.request.scanResponse))
        #expect(self.isSilent(&advertiser, .success))
        #expect(advertiser.next() == .enable)
        #expect(self.outcome(&advertiser, .success) == .started(number))
        #expect(advertiser.next() == nil)
    }

    @Test("enables advertising again without new data after a central connected")
    func reenabledAfterConnection() {
        var advertiser = Advertiser()
        _ = advertiser.start(self.request)
        _ = self.settle(&advertiser)
        advertiser.ended()
        #expect(advertiser.next() == .enable)
        #expect(self.isSilent(&advertiser, .success), "the start is reported once")
    }

    @Test("disables advertising before another request")
    func changes() {
        var advertiser = Advertiser()
        _ = advertiser.start(self.request)
        _ = self.settle(&advertiser)
        let number = advertiser.start(self.other)
        #expect(advertiser.next() == .disable)
        _ = advertiser.completed(nil)
        #expect(self.settle(&advertiser) == [.started(number)])
    }

    @Test("disables again after a refusal, three times in all", arguments: 1...3)
    func disableRefused(refusals: Int) {
        var advertiser = Advertiser()
        _ = advertiser.start(self.request)
        _ = self.settle(&advertiser)
        advertiser.stop()
        #expect(advertiser.next() == .disable)
        for number in 1...refusals {
            #expect(!advertiser.isOff && advertiser.next() == nil)
            #expect(advertiser.completed(.refused(.unspecifiedError)).step == (number < 3 ? .disable : nil))
        }
        if refusals < 3 { #expect(advertiser.completed(nil).step == nil) }
        #expect(advertiser.isOff && advertiser.next() == nil)
    }

    @Test("stops a start that is on its way")
    func stopsWhileConfiguring() {
        var advertiser = Advertiser()
        _ = advertiser.start(self.request)
        #expect(advertiser.next() == .setParameters(self.request))
        advertiser.stop()
        #expect(self.step(&advertiser, .success) == .setData(self.request.data))
        #expect(self.step(&advertiser, .success) == .setScanResponse(self.request.scanResponse))
        #expect(self.isSilent(&advertiser, .success))
        #expect(advertiser.next() == nil)
    }

    @Test(
        "reports a refusal once and does not repeat the request",
        arguments: [HCIErrorCode.invalidParameters, .memoryCapacityExceeded]
    )
    func refused(status: HCIErrorCode) {
        var advertiser = Advertiser()
        let number = advertiser.start(self.request)
        #expect(advertiser.next() != nil)
        #expect(self.outcome(&advertiser, status) == .refused(number, .refused(status)))
        #expect(advertiser.next() == nil)
    }

    @Test("takes a refusal to enable beside nothing as final")
    func refusedWithoutLinks() {
        var advertiser = Advertiser()
        let number = advertiser.start(self.request)
        self.configure(&advertiser)
        #expect(self.outcome(&advertiser, .commandDisallowed) == .refused(number, .refused(.commandDisallowed)))
        #expect(advertiser.isOff)
        #expect(advertiser.next() == nil)
    }

    @Test("stays wanted if another role has the radio, and sets everything again when it has it itself")
    func excluded() {
        for hasDataAlready in [false, true] {
            var advertiser = Advertiser()
            let number = advertiser.start(self.request)
            if hasDataAlready { self.configure(&advertiser) } else { _ = advertiser.next() }
            let (outcome, step) = advertiser.completed(.refused(.commandDisallowed), isExcluded: true)
            #expect(outcome == nil && step == nil && advertiser.isOff && advertiser.isWanted)
            #expect(advertiser.next() == .setParameters(self.request))
            while self.step(&advertiser, .success) != nil {}
            #expect(advertiser.next() == .enable)
            #expect(self.outcome(&advertiser, .success) == .started(number))
        }
    }

    @Test("reports a request that waits for a link as started, once")
    func waitsForLink() {
        var advertiser = Advertiser()
        #expect(advertiser.waitsForLink() == nil)
        let number = advertiser.start(self.request)
        #expect(advertiser.waitsForLink() == number && advertiser.waitsForLink() == nil)
        #expect(self.settle(&advertiser) == [])
        let next = advertiser.start(self.other)
        #expect(self.settle(&advertiser) == [.started(next)])
        #expect(advertiser.waitsForLink() == nil)
    }

    @Test("reports nothing of a request that has a successor")
    func outdatedRequests() {
        for status in [HCIErrorCode.success, .commandDisallowed] {
            var advertiser = Advertiser()
            _ = advertiser.start(self.request)
            self.configure(&advertiser)
            let latest = advertiser.start(self.other)
            #expect(self.outcome(&advertiser, status) == nil, "\(status)")
            #expect(self.settle(&advertiser) == [.started(latest)], "\(status)")
        }
    }

    @Test("enables a request whose data the controller has without sending it again")
    func sameData() {
        var advertiser = Advertiser()
        _ = advertiser.start(self.request)
        _ = self.settle(&advertiser)
        advertiser.ended()
        let number = advertiser.start(self.request)
        #expect(advertiser.next() == .enable)
        #expect(self.outcome(&advertiser, .success) == .started(number))
        advertiser.ended()
        _ = advertiser.start(self.other)
        #expect(advertiser.next() == .setParameters(self.other))
    }

    @Test("does not advertise while it is held, then sets everything again without a report")
    func held() {
        var advertiser = Advertiser()
        _ = advertiser.start(self.request)
        _ = self.settle(&advertiser)
        advertiser.isHeld = true
        #expect(advertiser.next() == .disable)
        #expect(self.isSilent(&advertiser, .success))
        #expect(advertiser.next() == nil)
        #expect(advertiser.isOff && advertiser.isWanted)
        advertiser.isHeld = false
        #expect(advertiser.next() == .setParameters(self.request))
        #expect(self.step(&advertiser, .success) == .setData(self.request.data))
        #expect(self.step(&advertiser, .success) == .setScanResponse(self.request.scanResponse))
        #expect(self.isSilent(&advertiser, .success))
        #expect(advertiser.next() == .enable)
        #expect(self.isSilent(&advertiser, .success), "the start is reported once")
    }

    @Test("configures again what was configured before it was held")
    func heldWhileConfigured() {
        var advertiser = Advertiser()
        _ = advertiser.start(self.request)
        _ = self.settle(&advertiser)
        advertiser.ended()
        advertiser.isHeld = true
        #expect(advertiser.next() == nil)
        #expect(advertiser.isOff)
        advertiser.isHeld = false
        #expect(advertiser.next() == .setParameters(self.request))
    }
}
