import Testing

@testable import BluetoothHost

@Suite("GATT client: characteristics and descriptors")
struct GATTCharacteristicDiscoveryTests {
    private static let scripts = TitledScript.all(
        """
        ## GATT/CL/GAD/BV-04-C Discover all characteristics of a service
        characteristics 0010 0030
        > 08 10 00 30 00 03 28 < 09 07 11 00 02 12 00 00 2A  13 00 30 15 00 01 2A
        > 08 14 00 30 00 03 28 < 09 15 1A 00 88 1B 00 AB 89 67 45 23 01 0A 9E 7F 4C 8B 1D 02 00 9A 8E
        > 08 1B 00 30 00 03 28 < 01 08 1B 00 0A
        = 2A00 02 0011 0012 0012, 2A01 30 0013 0015 0019, 8E9A0002-1D8B-4C7F-9E0A-0123456789AB 88 001A 001B 0030
        characteristics 0010 0010 > 08 10 00 10 00 03 28 < 01 08 10 00 0A =
        characteristics FFFD FFFF             # ends with the handles
        > 08 FD FF FF FF 03 28 < 09 07 FE FF 02 FF FF 00 2A
        > 08 FF FF FF FF 03 28 < 01 08 FF FF 0A
        = 2A00 02 FFFE FFFF FFFF

        ## GATT/CL/GAD/BV-05-C Discover characteristics by UUID: all are asked for, so that the ends are right
        characteristics 0010 0030 2A01 2A19
        > 08 10 00 30 00 03 28 < 09 07 11 00 02 12 00 00 2A  13 00 30 15 00 01 2A  1A 00 02 1B 00 02 2A
        > 08 1B 00 30 00 03 28 < 01 08 1B 00 0A
        = 2A01 30 0013 0015 0019

        ## GATT/CL/GAD/BV-06-C Discover all characteristic descriptors
        descriptors 0012 0018
        > 04 13 00 18 00 < 05 01 13 00 02 29  14 00 01 29
        > 04 15 00 18 00 < 05 02 16 00 AB 89 67 45 23 01 0A 9E 7F 4C 8B 1D 02 00 9A 8E
        > 04 17 00 18 00 < 01 04 17 00 0A
        = 2902 0013, 2901 0014, 8E9A0002-1D8B-4C7F-9E0A-0123456789AB 0016

        ## GATT/CL/GAD/BV-06-C Nothing is asked if no handle is left
        descriptors 0012 0012 =
        descriptors FFFF FFFF =
        descriptors FFFE FFFF > 04 FF FF FF FF < 05 01 FF FF 02 29 = 2902 FFFF

        ## ends a discovery with an error other than Attribute Not Found
        characteristics 0010 0030 > 08 10 00 30 00 03 28 < 01 08 10 00 05 = error 05 0010
        descriptors 0012 0018 > 04 13 00 18 00 < 01 04 13 00 0E = error 0E 0013

        ## Hostile: refuses a later answer that steps back
        characteristics 0010 0030
        > 08 10 00 30 00 03 28 < 09 07 11 00 02 12 00 00 2A
        > 08 12 00 30 00 03 28 < 09 07 12 00 02 13 00 00 2A
        = malformed
        """
    )

    @Test("follows the script", arguments: Self.scripts)
    func script(_ script: TitledScript) { script.runOnClient() }
}
