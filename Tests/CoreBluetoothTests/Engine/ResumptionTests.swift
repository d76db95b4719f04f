import Foundation
import Testbed
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

    @Test("the same Database Hash decides at once")
    func sameHash() {
        var resumption = self.begun()
        #expect(resumption.isUnderWay)
        #expect(resumption.identified(known: self.hash, present: self.hash) == .unchanged)
        #expect(!resumption.isUnderWay)
    }

    @Test("another hash, or none any more, means that everything has changed")
    func otherHash() {
        var first = self.begun()
        #expect(first.identified(known: self.hash, present: self.other) == .changed)
        var second = self.begun()
        #expect(second.identified(known: self.hash, present: nil) == .changed)
        #expect(!second.isUnderWay)
    }

    @Test("without a hash the attributes are compared, up to the first that is missing")
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
        #expect(!again, "the app loses its attributes once")
        let isConfirmed = resumption.finishComparison()
        #expect(!isConfirmed)
    }

    @Test("what was found as it was is confirmed at the end")
    func confirmed() {
        var resumption = self.begun()
        _ = resumption.identified(known: nil, present: nil)
        _ = resumption.compared(isUnchanged: true)
        let isConfirmed = resumption.finishComparison()
        #expect(isConfirmed)
        #expect(!resumption.isUnderWay)
    }

    @Test("nothing is decided without a link")
    func idle() {
        var resumption = Resumption()
        #expect(resumption.identified(known: self.hash, present: self.other) == nil)
    }
}
