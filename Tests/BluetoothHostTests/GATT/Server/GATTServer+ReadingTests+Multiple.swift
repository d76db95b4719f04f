// Several values in one request.

import Testing

@testable import BluetoothHost

extension GATTServerReadingTests {
    private static let scripts = TitledScript.all(
        """
        ## GATT/SR/GAR/BV-05-C Read Multiple Characteristic Values
        > 0E 10 00 34 00 < 0F 01 02 03 07
        > 0E 10 00 13 00 34 00 13 00 ? read 0013 @0
        = AA ? read 0013 @0
        = BB < 0F 01 02 03 AA 07 BB
        > 0E 21 00 10 00 < 0F 00..15          # what does not fit is cut
        > 0E 21 00 13 00 < 0F 00..15          # and the application is not asked for it
        > 0E 10 00 < 01 0E 00 00 04
        > 0E 10 00 34 < 01 0E 00 00 04

        ## GATT/SR/GAR/BI-20-C Read Multiple: Insufficient Authorization
        > 0E 10 00 13 00 ? read 0013 @0
        ! 08 < 01 0E 13 00 08

        ## GATT/SR/GAR/BV-11-C and BV-12-C Read Multiple Variable Length, on the one bearer that there is
        > 20 10 00 34 00 < 21 03 00 01 02 03 01 00 07
        > 20 13 00 10 00 ? read 0013 @0
        = < 21 00 00 03 00 01 02 03
        > 20 10 00 21 00 < 21 03 00 01 02 03 3C 00 00..0E  # the length is the value's, though the value is cut
        > 20 10 00 10 00 10 00 10 00 34 00    # cut within a length
        < 21 03 00 01 02 03 03 00 01 02 03 03 00 01 02 03 03 00 01 02 03 01 00

        ## Read Multiple Variable Length refuses what may not be read
        > 20 10 00 13 00 ? read 0013 @0
        ! 08 < 01 20 13 00 08
        > 20 10 00 < 01 20 00 00 04

        ## a value of the application that fills the response is the last one that is asked for
        > 0E 13 00 13 00 ? read 0013 @0
        = AA*22 < 0F AA*22
        > 0E 13 00 13 00 ? read 0013 @0
        = AA*21 ? read 0013 @0
        = BB BB < 0F AA*21 BB
        > 20 13 00 13 00 ? read 0013 @0
        = AA*20 < 21 14 00 AA*20

        ## cuts a value of the application to 512 octets, in its length, too
        exchange 517
        > 20 13 00 10 00 ? read 0013 @0
        = AA*513 < 21 00 02 AA*512 03 00
        > 20 13 00 10 00 ? read 0013 @0
        = AA*511 < 21 FF 01 AA*511 03 00 01
        > 0E 13 00 10 00 ? read 0013 @0
        = AA*513 < 0F AA*512 01 02 03

        ## refuses a later value whose service was removed while the application was asked
        add
        > 0E 37 00 37 00 ? read 0037 @0
        remove
        = 01 < 01 0E 37 00 01

        ## refuses a later value if the link has lost its security when the application answers
        security encrypted 16
        > 0E 13 00 1D 00 ? read 0013 @0
        security none
        = AA < 01 0E 1D 00 05

        ## sends a value that was read before the link lost its security
        security encrypted 16
        > 0E 1D 00 13 00 ? read 001D @0
        = 01 ? read 0013 @0
        security none
        = 02 < 0F 01 02
        """
    )

    @Test("follows the script for several values", arguments: Self.scripts)
    func multiple(_ script: TitledScript) throws { try script.runOnServer() }
}
