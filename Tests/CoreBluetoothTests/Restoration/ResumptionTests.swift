import Foundation
import Testing

@testable import CoreBluetooth

@Suite("Resumption of an app's attributes")
struct ResumptionTests {
    private let hash = Data(repeating: 1, count: 16)

    private let other = Data(repeating: 2, count: 16)

    private func begun() -> Resumption {
        var resumption = Resumption()
        resumption.begin()
        return resumption
    }

    @Test("keeps the attributes at once if the Database Hash is the same")
    func sameHash() {
        var resumption = self.begun()
        #expect(resumption.isUnderWay)
        #expect(resumption.identified(known: self.hash, present: self.hash) == .unchanged)
        #expect(!resumption.isUnderWay)
    }

    @Test("drops the attributes if the hash differs or is missing")
    func otherHash() {
        var first = self.begun()
        #expect(first.identified(known: self.hash, present: self.other) == .changed)
        var second = self.begun()
        #expect(second.identified(known: self.hash, present: nil) == .changed)
        #expect(!second.isUnderWay)
    }

    @Test("compares the attributes without a known hash, up to the first missing one")
    func comparison() {
        var resumption = self.begun()
        #expect(resumption.identified(known: nil, present: self.hash) == .unknown)
        #expect(resumption.isComparing)
        let afterServices = resumption.compared(isUnchanged: true)
        #expect(!afterServices)
        let afterCharacteristics = resumption.compared(isUnchanged: false)
        #expect(afterCharacteristics)
        #expect(!resumption.isUnderWay)
        let again = resumption.compared(isUnchanged: false)
        #expect(!again)
        let isConfirmed = resumption.finishComparison()
        #expect(!isConfirmed)
    }

    @Test("keeps compared attributes that were all found")
    func confirmed() {
        var resumption = self.begun()
        _ = resumption.identified(known: nil, present: nil)
        _ = resumption.compared(isUnchanged: true)
        let isConfirmed = resumption.finishComparison()
        #expect(isConfirmed)
        #expect(!resumption.isUnderWay)
    }

    @Test("decides nothing without a link")
    func idle() {
        var resumption = Resumption()
        #expect(resumption.identified(known: self.hash, present: self.other) == nil)
    }
}
